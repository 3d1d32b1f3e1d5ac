import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Code } from 'aws-cdk-lib/aws-lambda'
import { AssetHashType, DockerImage } from 'aws-cdk-lib/core'
import { type FunctionDeclaration, manifest } from '#functions/manifest.ts'
import { inRepository } from '../in-repository.ts'

/**
 * What is deployed of a function: its bundle, and beside it those of its processes, and its assets. CDK asks for it only in a
 * stack it bundles.
 */
export function codeOf({ name, entry, processes = [], assets = [] }: FunctionDeclaration): Code {
  return Code.fromAsset(inRepository('functions'), {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // CDK uses a container where the local bundling gives up. Ours never does.
      image: DockerImage.fromRegistry('none'),
      // All functions have the same source folder; the command distinguishes their code.
      command: [entry, ...processes, ...assets],
      local: {
        tryBundle: (folder) => {
          writeFileSync(join(folder, 'index.mjs'), bundleOf(name))
          for (const module of processes)
            writeFileSync(join(folder, `${processName(module)}.mjs`), bundleOf(processName(module)))
          for (const asset of assets) copyFileSync(inRepository(asset), join(folder, basename(asset)))
          return true
        },
      },
    },
  })
}

/** The name of a process's module, which is the name of its bundle. */
function processName(path: string): string {
  return basename(path, '.ts')
}

function bundleOf(name: string): Uint8Array {
  const bundled = allBundles().get(name)
  if (bundled === undefined) throw new Error(`The manifest has no function or process ${name}.`)
  return bundled
}

let bundles: Map<string, Uint8Array> | undefined

/** The bundles of all functions and processes by their names. The first call makes all of them at once. */
function allBundles(): Map<string, Uint8Array> {
  if (bundles !== undefined) return bundles
  const folder = mkdtempSync(join(tmpdir(), 'aktenlage-bundles-'))
  try {
    const entries = manifest.flatMap(({ name, entry, processes = [] }) => [
      [name, entry] as const,
      ...processes.map((module) => [processName(module), module] as const),
    ])
    const program = [
      inRepository('infra/constructs/bundling.ts'),
      JSON.stringify(Object.fromEntries(entries)),
      folder,
    ]
    execFileSync(process.execPath, program, {
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    bundles = new Map(entries.map(([name]) => [name, readFileSync(join(folder, `${name}.mjs`))]))
    return bundles
  } finally {
    rmSync(folder, { recursive: true })
  }
}
