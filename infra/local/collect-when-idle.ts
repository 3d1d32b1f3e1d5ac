import { performance } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void

const lookMilliseconds = 20_000
/** The maximum utilization of an idle thread, and the minimum bytes that it has allocated since the last collection. */
const [maxUtilization, minBytes] = [0.05, 5_000_000]

/**
 * Frees the garbage of this thread once it is idle. Node collects only while a program allocates, so an idle service
 * would keep the garbage of its start and last requests. A collection stops the thread for about a tenth of a second.
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
