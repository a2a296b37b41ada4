/**
 * Returns the content security policy of pages: scripts and requests of this origin, and of the
 * hosts of a CAPTCHA widget. The component library of the dashboard creates `<style>` elements.
 */
export function pagePolicy(widgetHosts: readonly string[]): string {
  const hosts = widgetHosts.map((host) => ` ${host}`).join('');
  return [
    "default-src 'none'",
    `style-src 'self' 'unsafe-inline'${hosts}`,
    `script-src 'self'${hosts}`,
    `connect-src 'self'${hosts}`,
    ...(hosts === '' ? [] : [`frame-src${hosts}`]),
    "worker-src 'self'",
    "img-src 'self' data:",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
