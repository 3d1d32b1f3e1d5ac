import { performance } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void

const lookMilliseconds = 20_000
/** How busy a thread may be to count as idle, as a part of its time, and how much it must have allocated since the last time. */
const [maxUtilization, minBytes] = [0.05, 5_000_000]

/**
 * Lets this thread give its garbage back to the machine once it is idle. Node collects only while a program allocates: a
 * service that waits for its next request would keep what its start and its last requests left behind. A collection stops
 * the thread for about a tenth of a second.
 */
export function collectWhenIdle(): void {
  setFlagsFromString('--expose-gc')
  const collect: Collect = runInNewContext('gc')
  let before = performance.eventLoopUtilization()
  let keptBytes = 0
  setInterval(() => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    const { used_heap_size: usedBytes } = getHeapStatistics()
    if (utilization > maxUtilization || usedBytes < keptBytes + minBytes) return
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    keptBytes = getHeapStatistics().used_heap_size
  }, lookMilliseconds).unref()
}
