import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { readSettings } from '#infra/local/settings.ts'

test('port 3000 and .local are the defaults', () => {
  expect(readSettings({}, [])).toEqual({
    port: 3000,
    smtpPort: 0,
    serviceBaseUrl: undefined,
    dataDir: resolve('.local'),
    fresh: false,
    empty: false,
    at: undefined,
    workerThreads: true,
  })
  expect(readSettings({ PORT: '', LOCAL_DATA_DIR: '' }, [])).toEqual(readSettings({}, []))
})

test('ports, address, folder and a fresh beginning can be chosen', () => {
  const environment = {
    PORT: '0',
    SMTP_PORT: '2525',
    SERVICE_BASE_URL: 'https://tunnel.example/akten/',
    LOCAL_DATA_DIR: join('/', 'tmp', 'firm'),
    WORKER_THREADS: 'off',
  }

  expect(readSettings(environment, ['--fresh', '--empty', '--at', '2027-01-04T08:00:00+01:00'])).toEqual({
    port: 0,
    smtpPort: 2525,
    serviceBaseUrl: 'https://tunnel.example/akten',
    dataDir: resolve('/tmp/firm'),
    fresh: true,
    empty: true,
    at: new Date('2027-01-04T07:00:00Z'),
    workerThreads: false,
  })
})

test('threads for workers are on or off, nothing else', () => {
  expect(() => readSettings({ WORKER_THREADS: 'false' }, [])).toThrow(
    'WORKER_THREADS must be on or off, not "false".',
  )
})

test.each(['tunnel.example', 'ftp://tunnel.example', '/'])('the address %s is refused by name', (address) => {
  expect(() => readSettings({ SERVICE_BASE_URL: address }, [])).toThrow(
    `SERVICE_BASE_URL must be an address like https://example.com, not "${address}".`,
  )
})

test.each(['70000', 'http', '-1', '80 80', '0x50', '3e3'])('the port %s is refused by name', (port) => {
  expect(() => readSettings({ PORT: port }, [])).toThrow(
    `PORT must be a number from 0 to 65535, not "${port}".`,
  )
  expect(() => readSettings({ SMTP_PORT: port }, [])).toThrow(
    `SMTP_PORT must be a number from 0 to 65535, not "${port}".`,
  )
})

test.each([['--frehs'], ['fresh']])('%s is no option', (option) => {
  expect(() => readSettings({}, [option])).toThrow('The options are --fresh')
})

test.each([
  [{ npm_config_fresh: 'true' }, [], '--fresh'],
  [{ npm_config_empty: 'true' }, [], '--empty'],
  [{ npm_config_fresh: 'yes' }, ['--empty'], '--fresh'],
  [{ npm_config_empty: 'true' }, ['--fresh'], '--empty'],
])('an option that npm took for itself (%j) is refused with the words that work', (environment, args, option) => {
  expect(() => readSettings(environment, args)).toThrow(`npm start -- ${option}`)
})

test.each([
  { npm_config_fresh: '' },
  { npm_config_fresh: 'false' },
  { npm_config_color: 'true' },
])('other settings of npm (%j) change nothing', (environment) => {
  expect(readSettings(environment, ['--fresh'])).toMatchObject({ fresh: true, empty: false })
})

test.each([
  '2027-01-04',
  '2027-01-04T08:00:00',
  '2027-02-30T25:00:00Z',
  'tomorrow',
  '',
])('the time %j is refused by name', (at) => {
  expect(() => readSettings({}, ['--at', at])).toThrow(
    `--at must be a time with its offset, like 2027-01-04T08:00:00+01:00, not "${at}".`,
  )
})
