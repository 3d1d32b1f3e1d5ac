import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serviceDocument } from '#functions/docs/service-document.ts'
import type { OpenApiDocument } from '#http/openapi/types.ts'
import { inRepository } from '../in-repository.ts'
import { descriptionFaults } from './description-rules.ts'
import { generatorFaults } from './generator-rules.ts'

const linter = inRepository('node_modules/@redocly/cli/bin/cli.js')
const rules = inRepository('redocly.yaml')

/**
 * Checks a document with the rules of `redocly.yaml`, without the network, and with our rules for generators.
 *
 * @returns the linter's verdict and report
 */
export function lint(document: OpenApiDocument): { passed: boolean; report: string } {
  const directory = mkdtempSync(join(tmpdir(), 'aktenlage-openapi-'))
  const file = join(directory, 'openapi.json')
  try {
    writeFileSync(file, JSON.stringify(document, null, 2))
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [linter, 'lint', '--config', rules, 'openapi.json'],
      {
        encoding: 'utf8',
        cwd: directory,
        env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      },
    )
    const faults = generatorFaults(document)
    const report = [stdout, stderr, ...faults.map((fault) => `${fault}\n`)].join('')
    return { passed: status === 0 && faults.length === 0, report }
  } finally {
    rmSync(directory, { recursive: true })
  }
}

const whatToDo = `
The document is generated from the declarations in functions/<group>/endpoints.ts: fix those, and add no ignore file.
An ambiguous path needs another fixed segment, see packages/README.md, step 5.
`

if (import.meta.main) {
  const { passed: isValid, report } = lint(serviceDocument())
  const undescribed = descriptionFaults(serviceDocument()).map((fault) => `${fault}\n`)
  const passed = isValid && undescribed.length === 0
  process.stdout.write([report, ...undescribed].join(''))
  if (!passed) process.stdout.write(whatToDo)
  process.exitCode = passed ? 0 : 1
}
