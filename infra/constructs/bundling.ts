import { type BuildOptions, build, type Plugin } from 'esbuild'
import { inRepository } from '../in-repository.ts'
import { electroDb } from './aliases/electrodb.ts'

/**
 * Leaves out the SDK's code for streams of events, which none of our calls uses. The SDK loads it with `import()`, and
 * esbuild delays every module that is loaded so, together with the modules it shares with others.
 */
const withoutEventStreams: Plugin = {
  name: 'without-event-streams',
  setup({ onResolve }) {
    onResolve({ filter: /^@smithy\/core\/event-streams$/ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : null,
    )
  },
}

/**
 * How every function is bundled: one ES module for Node 24 with all its dependencies, so that a cold start reads one
 * file and the SDK has the version that was tested.
 *
 * The external packages look for credentials on a laptop (profiles, SSO, login, processes) and for web identities. The
 * SDK loads them only if the environment holds no credentials. Lambda's environment always holds them.
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
    // Some dependencies `require` built-in modules; an ES module has no `require` of its own. The other name avoids a
    // clash with a module that imports `createRequire` itself.
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
  plugins: [electroDb, withoutEventStreams],
} as const satisfies { [Option in keyof BuildOptions]: BuildOptions[Option] | Readonly<BuildOptions[Option]> }

/**
 * Bundles a function, or another module of the repository, into one file.
 *
 * @param entry the module's path from the root of the repository
 * @returns `outfile`
 */
export async function bundle(entry: string, outfile: string): Promise<string> {
  await build({ ...bundling, entryPoints: [inRepository(entry)], outfile, logLevel: 'warning' })
  return outfile
}

/**
 * Bundles several modules at once, each as `bundle` does. A module that several of them import is read and parsed once,
 * which halves the time.
 *
 * @param entries the modules' paths from the root of the repository, by the name of their bundle
 * @param folder takes `<name>.mjs` for each
 */
export async function bundleAll(entries: Record<string, string>, folder: string): Promise<void> {
  await build({
    ...bundling,
    entryPoints: Object.fromEntries(
      Object.entries(entries).map(([name, entry]) => [name, inRepository(entry)]),
    ),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    logLevel: 'warning',
  })
}

// Also a program, since a CDK construct cannot wait for a promise. Its arguments: the entries as JSON, and the folder.
if (import.meta.main) {
  const [, , entries = '{}', folder = ''] = process.argv
  await bundleAll(JSON.parse(entries), folder)
}
