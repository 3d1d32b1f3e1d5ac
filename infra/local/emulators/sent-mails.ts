import { mailFolder } from '../mail-folder.ts'
import type { Store } from './s3-store.ts'

/**
 * When the service removes its message of a mail, removes the copy of the local SES too. On AWS, SES keeps no copy, so
 * a disposal or an erasure must remove this one. The copy is removed first, so that a killed removal is repeated.
 */
export function removeSentMails(store: Pick<Store, 'deleteObject'>, folder: string): void {
  const sent = mailFolder(folder)
  const deleteObject = store.deleteObject.bind(store)
  store.deleteObject = async (bucket, key) => {
    const [, workspace, correspondence] = /^mails\/([^/]+)\/([^/]+)\/message\.eml$/.exec(key) ?? []
    if (workspace !== undefined && correspondence !== undefined)
      await sent.removeOf({ workspace, correspondence })
    await deleteObject(bucket, key)
  }
}
