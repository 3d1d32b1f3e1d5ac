import { mailFolder } from '../mail-folder.ts'
import type { Store } from './s3-store.ts'

/**
 * Removes what the local SES has of a mail together with the message that the service stores of it. On AWS, SES keeps no copy;
 * here the folder of sent mails must not keep longer what a disposal or an erasure removes. The copy goes first, so that a killed
 * removal is repeated.
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
