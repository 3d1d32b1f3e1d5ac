import { newId } from '#kernel/id.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import type { SignerRecord } from '../ports.ts'
import type { SignerInput } from '../schema.ts'
import { hashAccessCode } from '../signer/access-code.ts'

/** The records of new signers, numbered from 1, with hashed access codes. */
export async function newSigners(inputs: readonly SignerInput[]): Promise<SignerRecord[]> {
  const hashes = new Map<SignerInput, string>()
  await inParallel(inputs, async (input) => {
    if (input.access_code !== null) hashes.set(input, await hashAccessCode(input.access_code))
  })
  return inputs.map((input, index) => ({
    id: newId('signer'),
    name: input.name,
    email: input.email,
    role: input.role,
    status: 'pending',
    order: index + 1,
    signed_at: null,
    sent_at: null,
    opened_at: null,
    declined_at: null,
    decline_reason: null,
    delivery: null,
    link_sha256: null,
    access_code_hash: hashes.get(input) ?? null,
    code_attempts: 0,
    mail_key: null,
    signature: null,
  }))
}

/** Numbers the signers from 1, in this order. */
export function numberSigners(signers: readonly SignerRecord[]): SignerRecord[] {
  return signers.map((signer, index) => ({ ...signer, order: index + 1 }))
}

/** A signer in the details of an audit entry. */
export function signerDetails({ id, name, email, role, order, access_code_hash }: SignerRecord) {
  return { id, name, email, role, order, has_access_code: access_code_hash !== null }
}
