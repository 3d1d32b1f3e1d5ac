import { parseArgs } from 'node:util'
import { runSmoke } from './run-smoke.ts'

const usage = `Tests the main functions of a running service: opens a case with a party, uploads a PDF and waits for its text,
calculates, enters and verifies a deadline, books an event, drafts a mail without sending it, exports and searches.
Then it deletes what it created.

  npm run smoke -- --url URL --key KEY [--second-key KEY]

--url         the address of the service, without /api/v1: http://127.0.0.1:3000, https://api.example.de
--key         an API key (or the variable KEY); use a firm that is only for such tests
--second-key  a key of another user of that firm, who verifies the deadline (or the variable SECOND_KEY)

It prints one line for each step and exits with 0. It exits with 1 if a step failed, or if something could not be
deleted. After Ctrl-C it completes the current call and deletes what it created. A second Ctrl-C ends it at once.`

const { url, key, secondKey } = read(process.argv.slice(2))
const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    if (interrupted.signal.aborted) process.exit(130)
    interrupted.abort(new Error('Interrupted.'))
  })
// A closed terminal accepts no more output: the created records are deleted all the same.
process.stdout.on('error', () => {})

const hasPassed = await runSmoke(
  { url, key, secondKey },
  { say: (line) => console.log(line), interrupted: interrupted.signal },
)
process.exit(interrupted.signal.aborted ? 130 : hasPassed ? 0 : 1)

function read(commandLine: string[]): { url: string; key: string; secondKey: string | undefined } {
  const text = { type: 'string' } as const
  const options = { url: text, key: text, 'second-key': text, help: { type: 'boolean' } } as const
  try {
    const { values } = parseArgs({ args: commandLine, options })
    if (values.help) {
      console.log(usage)
      process.exit(0)
    }
    const key = values.key ?? process.env.KEY
    if (!key) throw new Error('--key is missing.')
    return {
      url: readUrl(values.url),
      key: readKey(key),
      secondKey: values['second-key'] ?? (process.env.SECOND_KEY || undefined),
    }
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error} See npm run smoke -- --help`)
    process.exit(1)
  }
}

/**
 * The address without slashes at its end. @throws Error if it is not a service's address, or would reveal the
 * key
 */
function readUrl(text = ''): string {
  if (text === '') throw new Error('--url is missing.')
  if (!URL.canParse(text)) throw new Error('--url is not a URL, such as https://api.example.de.')
  const { protocol, hostname, username, password, search, hash } = new URL(text)
  if (protocol !== 'https:' && protocol !== 'http:')
    throw new Error('--url must begin with https:// or http://.')
  if (username || password || search || hash) throw new Error('--url must have no user, query or fragment.')
  const isHere = hostname === 'localhost' || hostname === '[::1]' || /^127\.[\d.]+$/.test(hostname)
  if (protocol === 'http:' && !isHere)
    throw new Error(
      '--url must begin with https://: the key would be readable on its way to another machine.',
    )
  return text.replace(/(?<!\/)\/+$/, '')
}

/** @throws Error if the text cannot be sent as a key */
function readKey(key: string): string {
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new Error('--key is not an API key: it has other characters than keys have.')
  return key
}
