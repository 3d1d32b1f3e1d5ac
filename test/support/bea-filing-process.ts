import { beaFiling } from '#bea/messages/filing-jobs.ts'
import { beaDocuments } from '#documents/bea-documents.ts'
import { followMail } from '#documents/follow-mail.ts'
import { bucketFiles } from '#files/bucket.ts'
import { beaMessageFoundation } from '#foundation/bea-messages.ts'
import { documentFoundation } from '#foundation/documents.ts'
import { foundation } from '#foundation/foundation.ts'
import { inboxFoundation } from '#foundation/inbox.ts'
import { caseLessons } from '#store/inbox/case-lessons.ts'

/**
 * A worker that processes the filing of one beA message like the Lambda, and kills itself at a step. The filing is its
 * first argument, the step its second: `copied`: the bytes of the third attachment are in the bucket, its records are
 * not written. `recorded`: its records are written. `settled`: only the message does not show the result yet. Or
 * `never`.
 */
await work(JSON.parse(process.argv[2] ?? ''), process.argv[3])

async function work(
  filing: { workspace_id: string; message_id: string; from: string | null; at: string },
  step: string | undefined,
): Promise<void> {
  const die = (at: string) => {
    if (at === step) process.kill(process.pid, 'SIGKILL')
  }
  const base = foundation('inbound')
  inboxFoundation(base)
  const { clock, db } = base
  const { store } = documentFoundation(base)
  const messages = beaMessageFoundation(base).store
  let pieces = 0
  const { follow } = beaFiling({
    messages: {
      find: messages.find,
      change: async (...change) => {
        die('settled')
        return messages.change(...change)
      },
    },
    documents: {
      add: beaDocuments({
        store: {
          known: store.known,
          addMissing: async (...records) => {
            pieces += 1
            if (pieces === 3) die('copied')
            const added = await store.addMissing(...records)
            if (pieces === 3) die('recorded')
            return added
          },
        },
        files: bucketFiles(),
        clock,
      }),
      follow: followMail({ documents: store }),
    },
    lessons: caseLessons(db),
  })
  await follow(filing)
}
