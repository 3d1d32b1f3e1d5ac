import { type BuildOptions, build, type Plugin } from 'esbuild'
import { inRepository } from '../in-repository.ts'
import { leanElectroDb } from './lean/electrodb.ts'

/**
 * What the SDK would load at the moment it is needed, for operations that stream events, of which we call none: left
 * outside, because a module that is also loaded later is bundled so that it runs later, and with it all that it
 * shares with others.
 */
const neverLoadedLater: Plugin = {
  name: 'never-loaded-later',
  setup({ onResolve }) {
    onResolve({ filter: /^@smithy\/core\/event-streams$/ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : null,
    )
  },
}

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
  plugins: [leanElectroDb, neverLoadedLater],
} as const satisfies { [Option in keyof BuildOptions]: BuildOptions[Option] | Readonly<BuildOptions[Option]> }

/** Bundles a function, or another module of the repository, into one file. @param entry its path there. @returns `outfile` */
export async function bundle(entry: string, outfile: string): Promise<string> {
  await build({ ...bundling, entryPoints: [inRepository(entry)], outfile, logLevel: 'warning' })
  return outfile
}

// A program as well, which is given pairs of entry and outfile as JSON: CDK's constructs cannot wait for a promise.
if (import.meta.main) {
  const pairs: [entry: string, outfile: string][] = JSON.parse(process.argv[2] ?? '[]')
  await Promise.all(pairs.map(([entry, outfile]) => bundle(entry, outfile)))
}
