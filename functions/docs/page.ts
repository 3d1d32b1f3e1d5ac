import { escapeHtml } from '#kernel/escape-html.ts'

/**
 * The settings of the page. It neither links to other sites nor loads from them: no fonts, no proxy, no telemetry, no
 * assistant, no client on another site.
 */
const configuration = {
  agent: { disabled: true },
  mcp: { disabled: true },
  telemetry: false,
  withDefaultFonts: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'json',
  orderSchemaPropertiesBy: 'preserve',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  // Hides the link to Scalar's maker, the only link to another site that Scalar always shows. Also hides the focus
  // frame of a section that a link opened: nothing in the section itself reacts to keys.
  customCss:
    'a[href^="https://www.scalar.com"] { display: none } section:focus-visible { outline: none !important }',
  metaData: { title: 'Aktenlage API' },
}

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E" +
  "%3Cpath fill='%23335' d='M2 2h5l2 2h5v10H2z'/%3E%3C/svg%3E"

/**
 * The page of the documentation. Its addresses have no host, so that it works under every name of the service, and
 * also if its own address ends with a slash.
 *
 * @param baseUrl the service's address, whose path may be the path of a stage
 */
export function pageAt(baseUrl: string): string {
  const root = new URL(baseUrl).pathname.replace(/\/$/, '')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Aktenlage API</title>
<link rel="icon" href="${icon}">
</head>
<body>
<noscript>This page needs JavaScript; the document itself is <a href="${root}/api/v1/openapi.json">openapi.json</a>.</noscript>
<script id="api-reference" type="application/json" data-url="${root}/api/v1/openapi.json" data-configuration="${escapeHtml(JSON.stringify(configuration))}"></script>
<script src="${root}/docs/scalar.js"></script>
</body>
</html>
`
}

/** The page may load from and send to its own origin only. Its own inserted styles need `unsafe-inline`. */
export const pageHeaders = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "connect-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
}
