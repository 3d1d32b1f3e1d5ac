import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type DemoCertificate,
  type DemoCertificates,
  demoCertificates,
} from '#bea-simulator/certificates/demo-certificates.ts'
import { form } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'

/** Certificates that beA does not take (B2), over HTTP, in every form in which they may come. */

const path = '/api/v1/bea/accounts'
let firm: Firm
let issued: DemoCertificates['issued']
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'aktenlage-certificates-'))
  issued = (await demoCertificates(join(folder, 'all'))).issued
  firm = await newFirm()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const label = 'Postfach'
const asJson = ({ certificate_base64, passphrase }: DemoCertificate) =>
  firm.owner('POST', path, { body: { certificate_base64, passphrase, label } })
const asFile = ({ certificate_base64, passphrase }: DemoCertificate) => {
  const certificate = {
    bytes: new Uint8Array(Buffer.from(certificate_base64, 'base64')),
    filename: 'bea.p12',
  }
  return firm.owner('POST', `${path}/upload`, { raw: form({ certificate }, { passphrase, label }) })
}
const asCard = ({ certificate_pem }: DemoCertificate) =>
  firm.owner('POST', path, { body: { certificate_base64: btoa(certificate_pem), passphrase: '', label } })

describe('a certificate', () => {
  it.each([
    ['expired', /expired on 2022-01-01/],
    ['notYetValid', /valid only from 2044-01-01/],
    ['ec', /RSA/],
  ] as const)('that is %s is 422 with a message that says so, as JSON, as a file and of a card', async (name, says) => {
    for (const send of [asJson, asFile, asCard]) {
      const { status, body } = await send(issued[name])

      expect([status, body.error.code]).toEqual([422, 'BEA_CERTIFICATE_INVALID'])
      expect(body.error.message).toMatch(says)
    }
    expect((await firm.owner('GET', path)).body.data).toEqual([])
  })

  it.each(['unknown', 'foreign'] as const)('that is good and %s to the network is 422', async (name) => {
    const { status, body } = await asJson(issued[name])

    expect([status, body.error.code]).toEqual([422, 'BEA_CERTIFICATE_INVALID'])
    expect(body.error.message).toMatch(/does not accept this certificate/)
  })
})
