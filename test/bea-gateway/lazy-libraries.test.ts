import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The packages that a program loads, which runs in its own process. */
function loadedBy(program: string): string[] {
  const watching = `
    import { registerHooks } from 'node:module'
    const loaded = new Set()
    registerHooks({ resolve: (name, context, next) => { loaded.add(name); return next(name, context) } })
    const { beaGateway } = await import('#bea-gateway/gateway.ts')
    const { keyTools } = await import('#bea-gateway/key-tools.ts')
    const tools = keyTools({ loginVersion: 2 })
    ${program}
    console.log(JSON.stringify([...loaded]))`
  const out = execFileSync(process.execPath, ['--input-type=module', '-e', watching], {
    cwd: root,
    encoding: 'utf8',
  })
  return JSON.parse(out)
}

it('a function starts without the libraries for certificates and for reading messages', () => {
  const ready = loadedBy(
    "beaGateway({ url: 'https://gateway.example/', ident: 'i', loginVersion: 2, log: {} })",
  )
  const opening = loadedBy(
    "await tools.open(Buffer.from('30030201', 'hex'), 'x', new Date(0)).catch(() => {})",
  )

  const libraries = (names: string[]) =>
    names.filter((name) => /^(node-forge|pkijs|asn1js|saxes)$/.test(name))
  expect(libraries(ready)).toEqual([])
  expect(libraries(opening)).toEqual(['node-forge'])
})
