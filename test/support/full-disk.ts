import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

/** Preloaded into a service (`--import`), it makes every copy of a folder fail, as on a full disk. */
fs.cp = () =>
  Promise.reject(Object.assign(new Error('ENOSPC: no space left on device, copyfile'), { code: 'ENOSPC' }))
syncBuiltinESMExports()
