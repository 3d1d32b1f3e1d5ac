import { once } from 'node:events'
import { manifest } from '#functions/manifest.ts'
import { openGateway } from '#infra/local/gateway.ts'
import { loadFunctions } from '#infra/local/load-functions.ts'

/**
 * The local gateway with the functions that its parent process names. Nothing consumes their queues. It sends its address
 * to its parent process and ends with it.
 */
process.once('disconnect', () => process.exit(0))

const gateway = await openGateway(0)
const [names]: string[][] = await once(process, 'message')
gateway.serve(await loadFunctions(manifest.filter(({ name }) => names?.includes(name))))
process.send?.({ baseUrl: gateway.baseUrl })
