import type { BeaDraftRecord, BeaDraftStore } from '#bea/drafts/draft-ports.ts'
import type { BeaConnection } from '#bea/network/gateway-ports.ts'
import { beaSending } from '#bea/sending/sending.ts'
import { beaSendingDeps } from '#foundation/bea-sending.ts'
import { foundation } from '#foundation/foundation.ts'
import { epochMilliseconds } from '#kernel/clock.ts'

/** The steps of a send at which a worker kills itself. */
export const killSteps = [
  'claimed',
  'read',
  'initialised',
  'confirming',
  'answered',
  'sent',
  'imported',
] as const

/**
 * A worker that does the due work of one draft like the Lambda, and kills itself at a step. Arguments: workspace,
 * draft, step (one of `killSteps`, or `never`), and by how many minutes its clock is ahead, so that leases of killed
 * workers end.
 */
const [workspace_id = '', draft_id = '', step = 'never', ahead = '0'] = process.argv.slice(2)

if (workspace_id !== '') await work()

async function work(): Promise<void> {
  const die = (at: string) => {
    if (at === step) process.kill(process.pid, 'SIGKILL')
  }
  const clock = { now: () => new Date(epochMilliseconds() + Number(ahead) * 60_000) }
  const deps = beaSendingDeps({ ...foundation('bea-send'), clock })

  const change: BeaDraftStore['change'] = async (...call) => {
    const answer = await deps.drafts.change(...call)
    const { state, message_id } = answer as Pick<BeaDraftRecord, 'state' | 'message_id'>
    if (state === 'preparing') die('claimed')
    if (state === 'confirming') die('confirming')
    if (state === 'sent' && message_id === null) die('sent')
    return answer
  }
  const deadly = (connection: BeaConnection): BeaConnection => ({
    ...connection,
    send: async (postbox, message, beforeLastStep, signal) => {
      die('read')
      const begin = async () => {
        die('initialised')
        await beforeLastStep()
      }
      const sent = await connection.send(postbox, message, begin, signal)
      die('answered')
      return sent
    },
  })

  await beaSending({
    ...deps,
    drafts: { ...deps.drafts, change },
    useSession: (account, use, signal, options) =>
      deps.useSession(account, (connection, isWanted) => use(deadly(connection), isWanted), signal, options),
    importSent: async (...call) => {
      const id = await deps.importSent(...call)
      die('imported')
      return id
    },
  }).run({ workspace_id, draft_id }, new AbortController().signal)
}
