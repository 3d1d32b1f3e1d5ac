import { once } from 'node:events'
import { type EvenRequest, sendEvenly } from './open-load.ts'

/** Sends requests at an even rate until its parent process ends it. */
export type FloodOrder = EvenRequest & { perSecond: number }

/** The message that it sends after two seconds: how many requests were refused in the second one. */
export type Flooded = { refused: number }

process.once('disconnect', () => process.exit(0))
const [{ perSecond, ...request }]: [FloodOrder] = (await once(process, 'message')) as [FloodOrder]
const second = () => sendEvenly([request], { perSecond, seconds: 1 })
// The first one uses up what the firm may send at once.
await second()
const answers = await second()
const flooded: Flooded = { refused: answers.filter(({ status }) => status === 429).length }
process.send?.(flooded)
for (;;) await second()
