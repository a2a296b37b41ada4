// Sets the colour scheme before the first paint. A file, because the content security policy allows
// no inline script.
(() => {
  const [, chosen] = /(?:^|; )toolgate-color-scheme=(light|dark)/.exec(document.cookie) ?? [];
  const isDark = chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  document.documentElement.dataset.mantineColorScheme = isDark ? 'dark' : 'light';
})();
