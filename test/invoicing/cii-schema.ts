import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/**
 * Whether `xmllint` and the XML schema of UN/CEFACT CII D16B are installed.
 *
 * @throws Error if they are missing although `CI` is set
 */
export function schemaIsThere(): boolean {
  if (existsSync(schema) && spawnSync('xmllint', ['--version']).status === 0) return true
  const wanted =
    'apt-get install -y libxml2-utils, and unpack the Debian package tryton-modules-edocument-uncefact (see .ci/run)'
  if (process.env.CI) throw new Error(`The schema of electronic invoices is missing: ${wanted}`)
  console.warn(`SKIPPED: the tests that need the schema of electronic invoices. To install it: ${wanted}`)
  return false
}

/** The errors that the schema finds in a document. A valid document has none. */
export function schemaFaultsOf(xml: string): string[] {
  const { status, stderr } = spawnSync('xmllint', ['--noout', '--nonet', '--schema', schema, '-'], {
    input: xml,
    encoding: 'utf8',
  })
  if (status === 0) return []
  return stderr.split('\n').filter((line) => line !== '' && !line.endsWith('fails to validate'))
}

/** The schema, from a Debian package that is installed, or that was unpacked: then `CII_SCHEMA` is the path. */
const schema =
  process.env.CII_SCHEMA ??
  '/usr/lib/python3/dist-packages/trytond/modules/edocument_uncefact/tests/16B-CII/data/standard/CrossIndustryInvoice_100pD16B.xsd'
