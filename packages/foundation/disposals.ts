import { bytesKey } from '#documents/keys.ts'
import { bucketFiles } from '#files/bucket.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { messageIdDomain } from '#mail/message-id-domain.ts'
import type { Certify } from '#retention/disposing.ts'
import { twinDeletedFollowUp } from '#store/documents/document-twins.ts'
import type { CaseNoun } from '#store/retention/case-noun.ts'
import { caseNouns } from '#store/retention/case-nouns.ts'
import { caseRemoval } from '#store/retention/case-removal.ts'
import { disposableCases } from '#store/retention/disposable-cases.ts'
import { disposalStore, dueDisposals } from '#store/retention/disposal-store.ts'
import { type EraseObjects, recordRemoval } from '#store/retention/record-removal.ts'
import { userStore } from '#store/workspace/user-store.ts'
import { workspaceStore } from '#store/workspace/workspace-store.ts'
import { caseNumberKey } from '#triage/file-numbers.ts'
import { firmObjectsOnce } from './firm-objects.ts'
import type { Base } from './foundation.ts'
import { indexWakes } from './index-wakes.ts'
import { jobsToForget } from './jobs-with-texts.ts'
import { officeSeal } from './sealing.ts'

const objects = firmObjectsOnce()

/**
 * The parts that remove records and cases for good. The function needs the right to erase objects.
 *
 * @param moreNouns more kinds of records that belong to cases, in addition to the kinds of the service
 */
export function removalFoundation(base: Base, moreNouns: readonly CaseNoun[] = []) {
  indexWakes(base)
  base.jobs.handle(twinDeletedFollowUp(base))
  const deps = {
    ...base,
    nouns: [...caseNouns({ ...base, providerDomain: messageIdDomain() }), ...moreNouns],
    numberKey: caseNumberKey,
    ...jobsToForget(base),
    eraseObjects: (...which: Parameters<EraseObjects>) => objects().eraseUnder(...which),
  }
  return { removal: caseRemoval(deps), records: recordRemoval(deps) }
}

/** The dependencies of the worker that runs disposals. */
export function disposalFoundation(base: Base, moreNouns: readonly CaseNoun[] = []) {
  return {
    due: dueDisposals(base.db),
    disposals: disposalStore(base),
    cases: disposableCases(base.db),
    removal: removalFoundation(base, moreNouns).removal,
    workspaces: workspaceStore(base.db),
    certify: disposalCertificates(base),
    clock: base.clock,
    log: base.log,
  }
}

/** Creates and stores the sealed certificates of disposals. */
function disposalCertificates(base: Base): Certify {
  const [files, users, workspaces] = [bucketFiles(), userStore(base), workspaceStore(base.db)]
  const sealOf = officeSeal(base)
  return async (workspaceId, certificate) => {
    const { sealedDisposal } = await import('#sealing/disposal-certificate.ts')
    const { disposal_id, proposed_by, approved_by } = certificate
    const names = await users.names(workspaceId, [proposed_by, approved_by])
    const { name = '', time_zone = 'UTC' } = (await workspaces.find(workspaceId)) ?? {}
    const shown = {
      ...certificate,
      office: name,
      time_zone,
      proposed_by_name: names.get(proposed_by) ?? '',
      approved_by_name: names.get(approved_by) ?? '',
    }
    const pdf = await sealedDisposal(shown, await sealOf(name, `Vernichtung ${disposal_id}`))
    const sha256 = hexDigest(pdf)
    const key = bytesKey({ workspace_id: workspaceId, id: disposal_id, sha256 })
    // A worker that died after the next step may have left a certificate with another sealing time.
    await objects().eraseUnder(bytesKey({ workspace_id: workspaceId, id: disposal_id, sha256: '' }))
    await files.put(key, pdf, { mimeType: 'application/pdf', sha256 })
    return sha256
  }
}
