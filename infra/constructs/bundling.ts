import { existsSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'
import { inRepository } from '../in-repository.ts'
import { electroDb } from './aliases/electrodb.ts'
import { presets } from './aliases/presets.ts'
import { serviceDocument } from './aliases/service-document.ts'

/**
 * Leaves out the SDK's code for event streams, which none of our calls uses. The SDK loads it with
 * `import()`. Without this plugin it would be deployed, and the code that it shares with other modules would
 * be one more file that every cold start reads.
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
 * Imports Node's modules as CommonJS. An ES import reads all properties of a module, and some properties load other
 * modules when they are read. For example, `node:http` loads the client for `fetch` and HTTP/2, which took a tenth of
 * the CPU time of a cold start.
 */
export const builtinModules: Plugin = {
  name: 'builtin-modules',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^[a-z][a-z_/:\d]*$/ }, ({ kind, path }) =>
      isBuiltin(path) && kind !== 'require-call' ? { path, namespace: 'builtin' } : null,
    )
    onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('${path}')`,
    }))
  },
}

/**
 * How every function is bundled: an ES module for Node 24 with all its dependencies. A cold start then reads few files,
 * and the SDK has the version that was tested. Code that a module loads with `import()` is in separate files, which a
 * cold start does not read: compiling a megabyte takes 90 ms.
 *
 * The external packages look for credentials on a laptop (profiles, SSO, login, processes) and for web identities. The
 * SDK loads them only if the environment holds no credentials. Lambda's environment always holds them.
 */
export const bundling = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  splitting: true,
  target: 'node24',
  minify: true,
  mainFields: ['module', 'main'],
  legalComments: 'none',
  banner: {
    // Some dependencies `require` built-in modules, but an ES module has no `require`. The name `requireFor` avoids a
    // clash with a module that imports `createRequire` itself.
    js: "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);",
  },
  external: [
    // Only a browser loads it.
    'bowser',
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
  plugins: [electroDb, presets, serviceDocument, withoutEventStreams, builtinModules],
} as const satisfies { [Option in keyof BuildOptions]: BuildOptions[Option] | Readonly<BuildOptions[Option]> }

const extension = '.mjs'

/** pdf.js is minified already: esbuild takes ten seconds to make these bundles two percent smaller. */
const withPdfJs = new Set(['packages/extraction/pdf-thread.ts', 'packages/sealing/prepare-process.ts'])

/**
 * Bundles a function, or another module of the repository. Modules that it loads with `import()`, and the code that
 * they share with it, become files of their own beside `outfile`, so that a cold start does not read them. Their names
 * begin with the name of the bundle, because several bundles may be in one folder. Modules that it starts as processes
 * or threads are bundled under their own names beside it.
 *
 * @param entry the module's path from the root of the repository
 * @param plugins of esbuild
 * @returns `outfile`
 */
export async function bundle(
  entry: string,
  outfile: string,
  plugins: Plugin[] = [...bundling.plugins],
): Promise<string> {
  const name = basename(outfile, extension)
  const { metafile } = await build({
    ...bundling,
    plugins,
    // The paths of its inputs are from the root of the repository, too.
    absWorkingDir: inRepository(''),
    ...(withPdfJs.has(entry) && { minify: false, minifyWhitespace: true, minifyIdentifiers: true }),
    entryPoints: { [name]: inRepository(entry) },
    outdir: dirname(outfile),
    outExtension: { '.js': extension },
    chunkNames: `${name}-[hash]`,
    logLevel: 'warning',
    metafile: true,
  })
  const outputs = new Map(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]))
  // esbuild also writes a file for an `import()` in code that it removes.
  const loaded = loadedFrom(basename(outfile), outputs)
  for (const file of outputs.keys()) if (!loaded.has(file)) await rm(join(dirname(outfile), file))
  for (const module of startedBy(dirname(outfile), loaded, outputs))
    await bundle(module, join(dirname(outfile), `${basename(module, '.ts')}${extension}`), plugins)
  return outfile
}

/** The files that esbuild made, by their names. */
type Outputs = ReadonlyMap<string, Metafile['outputs'][string]>

/** A file and all files that it imports, statically or with `import()`, directly or through another file. */
function loadedFrom(own: string, outputs: Outputs): Set<string> {
  const loaded = new Set([own])
  for (const file of loaded)
    for (const { path } of outputs.get(file)?.imports ?? [])
      if (outputs.has(basename(path))) loaded.add(basename(path))
  return loaded
}

/** A module that code starts as a process or a thread, as the bundle names it: `new URL(`./pdf-thread${…}`, …)`. */
const startedModule = /\bnew URL\(`\.\/([\w-]+)\$\{/g

/** The modules that files of a bundle start as processes or threads, each beside the module that starts it. */
function startedBy(folder: string, files: ReadonlySet<string>, outputs: Outputs): Set<string> {
  const started = [...files].flatMap((file) => {
    const folders = Object.keys(outputs.get(file)?.inputs ?? {}).map(dirname)
    return [...readFileSync(join(folder, file), 'utf8').matchAll(startedModule)].map(([, name]) => {
      const module = folders
        .map((one) => join(one, `${name}.ts`))
        .find((path) => existsSync(inRepository(path)))
      if (module === undefined)
        throw new Error(`${file} starts ${name}, which is beside none of its modules.`)
      return module
    })
  })
  return new Set(started)
}

/**
 * Bundles several functions, each as `bundle` does. It bundles one after the other: esbuild uses all processors for one
 * module, and all modules at once took three gigabytes.
 *
 * @param entries for each function its module's path from the root of the repository
 * @param folder takes `<function>/index.mjs` for each
 */
export async function bundleAll(entries: Record<string, string>, folder: string): Promise<void> {
  for (const [name, entry] of Object.entries(entries)) await bundle(entry, join(folder, name, 'index.mjs'))
}

// This module is also a program, since a CDK construct cannot wait for a promise. Its arguments are the entries as
// JSON, and the folder.
if (import.meta.main) {
  const [, , entries = '{}', folder = ''] = process.argv
  await bundleAll(JSON.parse(entries), folder)
}
