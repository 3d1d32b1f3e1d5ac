import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Api, api } from './api.ts'
import { newDataFolder } from './data-folder.ts'
import { moveClock } from './move-clock.ts'
import { type Service, startService } from './service.ts'
import { loggedEvents } from './webhook-events.ts'
import { addHook, startReceiver } from './webhook-receiver.ts'

/** The fate of the changes. Each list holds the ids of the changed records. */
export type Outcome = {
  kills: number
  requests: number
  /** Answered with 201. */
  answered: string[]
  /** By the log, as often as it has them. */
  logged: string[]
  /** By the receiver, as often as it has answered 204. */
  accepted: string[]
  /** Of those, the ones that came again although no kill explains it. */
  unexplained: string[]
  /** Events that came with another `webhook-id` the next time, by which a receiver cannot know them again. */
  renamed: string[]
}

/** The receiver fails half the time, but an event no more often than this in a row: ten attempts are the last. */
const maxFailures = 8
/**
 * An event is accepted again only if the service was killed so soon after the time before that it had not recorded it.
 * Outcomes gather for 25 ms, and are then written; on a busy machine that takes longer.
 */
const recordedWithinMilliseconds = 3_000
/** Requests to the service at once. */
const writers = 40

/**
 * Makes changes, and kills the service without warning every few seconds. Then lets the time pass until nothing waits to be
 * sent any more.
 *
 * @param options.lives the kills after which the changes end at the latest, however slow the machine is
 */
export async function killedWhileSending({
  changes,
  secondsOfLife,
  lives = Number.POSITIVE_INFINITY,
  environment = {},
}: {
  changes: number
  secondsOfLife: number
  lives?: number
  environment?: NodeJS.ProcessEnv
}): Promise<Outcome> {
  const dataDir = newDataFolder()
  const failures = new Map<string, number>()
  const accepted: { id: string; at: number }[] = []
  const killedAt: number[] = []
  const webhookIds = new Map<string, Set<string>>()
  const receiver = await startReceiver(({ event, headers }, response) => {
    const ids = webhookIds.get(event.data.id) ?? new Set()
    webhookIds.set(event.data.id, ids.add(headers['webhook-id'] ?? ''))
    const failed = failures.get(event.data.id) ?? 0
    const isFailing = failed < maxFailures && Math.random() < 0.5
    failures.set(event.data.id, isFailing ? failed + 1 : 0)
    if (!isFailing) accepted.push({ id: event.data.id, at: performance.now() })
    response.writeHead(isFailing ? 500 : 204).end()
  })
  const start = (commandLine: string[] = []) =>
    startService({
      dataDir,
      commandLine,
      environment: { RATE_LIMIT_PER_SECOND: '0', ...environment },
    })
  const answered: string[] = []
  try {
    let service = await start(['--empty'])
    await addHook(ownerOf(service), receiver.url, { event_types: ['party.created'] })
    while (answered.length < changes && killedAt.length < lives) {
      await writeUntilKilled(service, { answered, changes, secondsOfLife })
      killedAt.push(performance.now())
      service = await start()
    }
    // Ten attempts take 76 hours and up to a tenth more. With thousands of them, one step would take longer than a request
    // may.
    for (const step of [...Array(6).fill('PT10M'), ...Array(95).fill('PT1H')]) await moveClock(service, step)
    const logged = (await loggedEvents(ownerOf(service), 'type=party.created')).map(({ data }) => data.id)
    await service.stop()
    const isExplained = ({ at }: { at: number }) =>
      killedAt.some((kill) => kill > at && kill - at < recordedWithinMilliseconds)
    const isRepeated = ({ id }: { id: string }, index: number) =>
      accepted.findLastIndex((one) => one.id === id) > index
    const unexplained = accepted.filter((one, index) => isRepeated(one, index) && !isExplained(one))
    return {
      kills: killedAt.length,
      requests: receiver.received.length,
      answered,
      logged,
      accepted: accepted.map(({ id }) => id),
      unexplained: unexplained.map(({ id }) => id),
      renamed: [...webhookIds].flatMap(([id, { size }]) => (size > 1 ? [id] : [])),
    }
  } finally {
    await receiver.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function writeUntilKilled(
  service: Service,
  { answered, changes, secondsOfLife }: { answered: string[]; changes: number; secondsOfLife: number },
): Promise<void> {
  const owner = ownerOf(service)
  let isDead = false
  const writing = Array.from({ length: writers }, async () => {
    while (!isDead && answered.length < changes) {
      const answer = await owner('POST', '/api/v1/parties', { body: { name: 'Meier' } }).catch(
        () => undefined,
      )
      if (answer?.status === 201) answered.push(answer.body.id)
    }
  })
  await sleep(secondsOfLife * 1_000)
  await service.kill()
  isDead = true
  await Promise.all(writing)
}

const ownerOf = ({ baseUrl, credentials }: Service): Api =>
  api(baseUrl, credentials.workspaces[0]?.users[0]?.api_key)
