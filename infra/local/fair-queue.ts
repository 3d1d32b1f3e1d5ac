import { setTimeout as sleep } from 'node:timers/promises'
import {
  ChangeMessageVisibilityCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import { attempted } from '#kernel/attempted.ts'

/** Delivers the messages of a queue one at a time, with the workspaces taking turns. */
export type FairQueue = {
  /**
   * The next message; it stays hidden for the visibility timeout from now on. It counts for its workspace until
   * `release` is called, once. Undefined when `stopping` is aborted.
   */
  next: () => Promise<{ message: Message; release: () => void } | undefined>
  /** Whether no received message waits here. */
  isEmpty: () => boolean
}

const waitSeconds = 20
const pauseMilliseconds = 1_000

/** The maximum number of held messages. Others wait in the queue, in the order of their arrival. */
const maxHeld = 20_000

/**
 * Receives all waiting messages of a queue, and delivers one message of each workspace in turn. The fair queues of SQS
 * do the same for messages with a group: thousands of messages of one firm do not delay the message of another.
 * Messages that are held here stay hidden from other receivers.
 *
 * Messages without a workspace, such as mail events, form one group, which may use all workers.
 */
export function fairQueue(deps: {
  client: SQSClient
  url: string
  /** The number of messages of a workspace that are delivered at once. */
  maxOfOneWorkspace: number
  visibilitySeconds: number
  stopping: AbortSignal
}): FairQueue {
  const { client, url, visibilitySeconds, maxOfOneWorkspace, stopping } = deps
  /** By workspace. The workspace whose turn is next comes first. */
  const held = new Map<string, Held[]>()
  let count = 0
  /** How many messages of each workspace are delivered and not released. */
  const underWay = new Map<string, number>()
  const takers: ((held: Held | undefined) => void)[] = []

  const add = (message: Message): void => {
    const group = groupOf(message)
    const one = { message, group, hiddenUntil: performance.now() + visibilitySeconds * 1_000 }
    const waiting = held.get(group)
    if (waiting) waiting.push(one)
    else held.set(group, [one])
    count += 1
    serve()
  }

  const takeNext = (): Held | undefined => {
    for (const [group, waiting] of held) {
      const others = underWay.get(group) ?? 0
      const [first] = waiting
      const isFull = group !== noWorkspace && others >= maxOfOneWorkspace
      if (isFull || first === undefined) continue
      waiting.shift()
      held.delete(group)
      if (waiting.length > 0) held.set(group, waiting)
      underWay.set(group, others + 1)
      count -= 1
      return first
    }
    return undefined
  }

  const release = (group: string): void => {
    const others = (underWay.get(group) ?? 0) - 1
    if (others > 0) underWay.set(group, others)
    else underWay.delete(group)
    serve()
  }

  /** Passes deliverable messages to the waiting callers. */
  const serve = (): void => {
    while (takers.length > 0) {
      const one = takeNext()
      if (one === undefined) return
      takers.shift()?.(one)
    }
  }

  const hide = async (one: Held): Promise<void> => {
    await client.send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: url,
        ReceiptHandle: one.message.ReceiptHandle,
        VisibilityTimeout: visibilitySeconds,
      }),
    )
    one.hiddenUntil = performance.now() + visibilitySeconds * 1_000
  }

  const receive = async (): Promise<void> => {
    while (!stopping.aborted) {
      try {
        if (count >= maxHeld) await sleep(pauseMilliseconds, undefined, { signal: stopping })
        const { Messages = [] } = await client.send(
          new ReceiveMessageCommand({
            QueueUrl: url,
            MaxNumberOfMessages: 10,
            WaitTimeSeconds: waitSeconds,
            MessageSystemAttributeNames: ['All'],
          }),
          { abortSignal: stopping },
        )
        for (const message of Messages) add(message)
      } catch (error) {
        if (stopping.aborted) break
        console.error(`The queue ${url} could not be read:`, error)
        await sleep(pauseMilliseconds)
      }
    }
    for (const taker of takers.splice(0)) taker(undefined)
  }

  /** Extends the hiding of messages that will soon be visible again. */
  const keepHidden = async (): Promise<void> => {
    const soon = (visibilitySeconds * 1_000) / 2
    while (!stopping.aborted) {
      await sleep(soon / 4, undefined, { signal: stopping }).catch(() => undefined)
      const late = performance.now() + soon
      for (const one of [...held.values()].flat())
        if (one.hiddenUntil < late && !stopping.aborted)
          await hide(one).catch((error: unknown) => console.error('A message could not be kept:', error))
    }
  }

  void receive()
  void keepHidden()
  return {
    isEmpty: () => count === 0,
    next: async () => {
      if (stopping.aborted) return undefined
      const one = takeNext() ?? (await new Promise<Held | undefined>((resolve) => takers.push(resolve)))
      if (one === undefined) return undefined
      // The worker gets the full visibility timeout for it.
      try {
        if (one.hiddenUntil - performance.now() < visibilitySeconds * 900) await hide(one)
      } catch (error) {
        release(one.group)
        throw error
      }
      return { message: one.message, release: () => release(one.group) }
    },
  }
}

type Held = { message: Message; group: string; hiddenUntil: number }

/** The group of messages without a workspace. */
const noWorkspace = ''

/** The workspace of a message. The local SQS does not keep the group of a sent message. */
function groupOf({ Body = '' }: Message): string {
  const { workspace_id } = attempted(() => JSON.parse(Body)) ?? {}
  return typeof workspace_id === 'string' ? workspace_id : noWorkspace
}
