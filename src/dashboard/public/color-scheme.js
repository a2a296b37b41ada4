// Sets the colour scheme before the first paint. A file, because the content security policy allows
// no inline script.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem('toolgate-color-scheme');
  } catch {
    // Storage may be disabled; the system's scheme is used.
  }
  const isDark =
    chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.mantineColorScheme = isDark ? 'dark' : 'light';
})();
