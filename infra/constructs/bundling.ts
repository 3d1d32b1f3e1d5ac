import { fileURLToPath } from 'node:url'
import type { BuildOptions } from 'esbuild'

/**
 * How every function is bundled: one ES module for Node 24 with everything it needs inside, so that a cold
 * start reads one file and the SDK is the version that was tested.
 *
 * The external packages are the ways to credentials of a laptop (profiles, SSO, login, processes) and of web
 * identities. The SDK imports them only when the environment holds no credentials; in Lambda it always does,
 * so they are never reached, and without them the smallest function weighs a third less.
 */
export const bundling = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  minify: true,
  mainFields: ['module', 'main'],
  legalComments: 'none',
  banner: {
    // What some dependencies still `require` (built-in modules) exists in an ES module only like this.
    // The alias keeps out of the way of a module that imports `createRequire` itself.
    js: "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);",
  },
  alias: {
    electrodb: lean('electrodb.js'),
    jsonschema: lean('jsonschema.js'),
    // ElectroDB requires it whole for commands that our client makes; our own imports of it go by another name.
    '@aws-sdk/lib-dynamodb': lean('nothing.js'),
  },
  external: [
    '@aws-sdk/credential-provider-http',
    '@aws-sdk/credential-provider-ini',
    '@aws-sdk/credential-provider-login',
    '@aws-sdk/credential-provider-process',
    '@aws-sdk/credential-provider-sso',
    '@aws-sdk/credential-provider-web-identity',
    '@aws-sdk/nested-clients',
    '@aws-sdk/token-providers',
    '@smithy/credential-provider-imds',
  ],
} as const satisfies { [Option in keyof BuildOptions]: BuildOptions[Option] | Readonly<BuildOptions[Option]> }

function lean(file: string): string {
  return fileURLToPath(new URL(`./lean/${file}`, import.meta.url))
}
