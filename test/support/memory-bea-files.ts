import type { BeaMessageFiles } from '#bea/ports.ts'
import { hexDigest } from '#kernel/hex-digest.ts'

/** A bucket in memory. `puts` are the keys in the order in which they were stored. */
export function memoryBeaFiles() {
  const objects = new Map<string, Uint8Array>()
  const puts: string[] = []
  const found = (key: string) => {
    const bytes = objects.get(key)
    if (bytes === undefined) throw new Error(`There is no object ${key}.`)
    return bytes
  }
  const files: BeaMessageFiles = {
    put: async (key, bytes, { sha256 }) => {
      if (hexDigest(bytes) !== sha256) throw new Error('The digest does not fit.')
      puts.push(key)
      objects.set(key, Uint8Array.from(bytes))
    },
    read: async (key) => found(key),
    stream: async (key, range) => {
      const bytes = found(key)
      const part = range === undefined ? bytes : bytes.subarray(range.first, range.last + 1)
      return (async function* () {
        yield part
      })()
    },
  }
  return { files, objects, puts }
}
