import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, expect, test } from 'vitest'
import { manifest } from '#functions/manifest.ts'
import { bundling } from '#infra/constructs/bundling.ts'

const folder = mkdtempSync(join(tmpdir(), 'bundling-'))
afterAll(() => rmSync(folder, { recursive: true }))

test.each(manifest.map(({ name, entry }) => [name, entry]))(
  'the bundle of %s loads where nothing else is installed',
  async (name, entry) => {
    // Prepare
    const outfile = join(folder, name, 'index.mjs')
    const env = {
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'secret',
      TABLE_NAME: 'table',
    }

    // Act
    await build({ ...bundling, entryPoints: [entry], outfile })
    const handler = execFileSync(
      process.execPath,
      ['-p', `import('${outfile}').then(({ handler }) => console.log(typeof handler))`],
      { env, cwd: folder },
    )

    // Assess
    expect(handler.toString()).toContain('function')
  },
)
