import { randomUUID } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { startBeaSimulator } from '#bea-simulator/simulator.ts'
import { systemClock } from '#kernel/clock.ts'
import { collectWhenIdle } from '../collect-when-idle.ts'

/** Runs the simulator inside the thread that `bea-gateway.ts` starts. */
const { dataDir, port } = workerData as { dataDir: string; port: number }
// Tokens of an earlier run must not repeat, so every run has its own seed.
const { url } = await startBeaSimulator({ dataDir, port, seed: randomUUID(), clock: systemClock.now })
collectWhenIdle()
parentPort?.postMessage(url)
