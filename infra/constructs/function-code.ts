import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Code } from 'aws-cdk-lib/aws-lambda'
import { AssetHashType, DockerImage } from 'aws-cdk-lib/core'
import type { FunctionDeclaration } from '#functions/declaration.ts'
import { manifest } from '#functions/manifest.ts'
import { inRepository } from '../in-repository.ts'

/**
 * The deployed code of a function: its bundle, the bundles of its processes, and its assets. CDK calls this only for a
 * stack that it bundles.
 */
export function codeOf({ name, entry, assets = [] }: FunctionDeclaration): Code {
  return Code.fromAsset(inRepository('functions'), {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // CDK uses a container if the local bundling fails to produce a result. Ours never fails.
      image: DockerImage.fromRegistry('none'),
      // All functions have the same source folder; the command distinguishes their code.
      command: [entry, ...assets],
      local: {
        tryBundle: (folder) => {
          for (const [file, bytes] of Object.entries(filesOf(name))) writeFileSync(join(folder, file), bytes)
          for (const asset of assets) copyFileSync(inRepository(asset), join(folder, basename(asset)))
          return true
        },
      },
    },
  })
}

/** The files of the bundles of a function and its processes, by their names. */
type Files = Record<string, Uint8Array>

function filesOf(name: string): Files {
  const files = allBundles().get(name)
  if (files === undefined) throw new Error(`The manifest has no function ${name}.`)
  return files
}

let bundles: Map<string, Files> | undefined

/** The files of all functions. The first call bundles all of them. */
function allBundles(): Map<string, Files> {
  if (bundles !== undefined) return bundles
  const folder = mkdtempSync(join(tmpdir(), 'aktenlage-bundles-'))
  try {
    const entries = Object.fromEntries(manifest.map(({ name, entry }) => [name, entry]))
    const program = [inRepository('infra/constructs/bundling.ts'), JSON.stringify(entries), folder]
    execFileSync(process.execPath, program, {
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    bundles = new Map(manifest.map(({ name }) => [name, filesIn(join(folder, name))]))
    return bundles
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function filesIn(folder: string): Files {
  return Object.fromEntries(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file))]))
}
