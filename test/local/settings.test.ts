import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { readSettings } from '#infra/local/settings.ts'

test('port 3000 and .local are where nothing else is said', () => {
  expect(readSettings({}, [])).toEqual({ port: 3000, dataDir: resolve('.local'), fresh: false, empty: false })
  expect(readSettings({ PORT: '', LOCAL_DATA_DIR: '' }, [])).toEqual(readSettings({}, []))
})

test('port, folder and a fresh beginning can be chosen', () => {
  const settings = readSettings({ PORT: '0', LOCAL_DATA_DIR: join('/', 'tmp', 'firm') }, [
    '--fresh',
    '--empty',
  ])

  expect(settings).toEqual({ port: 0, dataDir: resolve('/tmp/firm'), fresh: true, empty: true })
})

test.each(['70000', 'http', '-1', '80 80', '0x50', '3e3'])('the port %s is refused by name', (port) => {
  expect(() => readSettings({ PORT: port }, [])).toThrow(
    `PORT must be a number from 0 to 65535, not "${port}".`,
  )
})

test.each([['--frehs'], ['fresh']])('%s is no option', (option) => {
  expect(() => readSettings({}, [option])).toThrow('The options are --fresh')
})
