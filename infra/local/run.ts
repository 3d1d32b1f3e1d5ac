import { randomBytes, randomUUID } from 'node:crypto'
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { bucketRights, manifest } from '#functions/manifest.ts'
import { awsEndpoint } from '#kernel/aws-endpoint.ts'
import { clockOffset, clockOffsetVariable, epochMilliseconds, systemClock, timestamp } from '#kernel/clock.ts'
import { LayoutRefused } from '#store/layout.ts'
import { tableLayout, tableName } from '#store/table.ts'
import { CannotStart } from './cannot-start.ts'
import { type LocalClock, localClock } from './clock.ts'
import { clockPages } from './clock-pages.ts'
import { collectWhenIdle } from './collect-when-idle.ts'
import { createBucket, createKeys, createQueues } from './create-storage.ts'
import { createTable } from './create-table.ts'
import { type Credentials, readCredentials, writeCredentials } from './credentials.ts'
import { type DataDir, type LocalUpgrade, openDataDir } from './data-dir.ts'
import { type LocalDatabase, startDatabase } from './database.ts'
import { fillFirms, makeFirms } from './demo.ts'
import { type DemoIds, lookUpDemoIds, withDemoExamples } from './demo-examples.ts'
import { diskOf, requireSpace } from './disk.ts'
import { type DueItems, openDueItems } from './due-items.ts'
import { type LocalBea, startBea } from './emulators/bea-gateway.ts'
import { type Emulators, startEmulators } from './emulators/start-emulators.ts'
import { type Gateway, type LocalPages, openGateway } from './gateway.ts'
import { invoke } from './invoke.ts'
import { type LocalFunction, loadFunctions } from './load-functions.ts'
import { mailPages } from './mail-pages.ts'
import { type Pump, startPump } from './pump.ts'
import { receivedMail } from './received-mail.ts'
import { setEnvironment } from './set-environment.ts'
import type { Settings } from './settings.ts'
import { type Smtp, type SmtpOptions, startSmtp } from './smtp.ts'
import { startTicker, type Ticker } from './ticker.ts'

const running: {
  gateway?: Gateway
  dataDir?: DataDir
  database?: LocalDatabase
  emulators?: Emulators
  bea?: LocalBea
  ticker?: Ticker
  pump?: Pump
  smtp?: Smtp
  clock?: LocalClock
  dueItems?: DueItems
} = {}
let stopping: Promise<void> | undefined
const queuePrefix = 'aktenlage-local'

/**
 * Runs the whole service on this machine, as the manifest declares it. Prints `Ready: <base url>` when it accepts
 * requests. Ends the process with code 0 on Ctrl-C and SIGTERM. If it cannot start, it ends with code 1 and a message
 * that says what to do.
 */
export async function run(settings: Settings): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(0))
  stopWhenOrphaned()
  // A closed terminal, or an ended program, accepts no more output: the service continues, and stops in order.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  // On Lambda, an unhandled rejection ends only the function that caused it. Here it must not end the others.
  process.on('unhandledRejection', (reason) =>
    console.error('A function left a rejected promise behind:', reason),
  )

  try {
    await start(settings)
  } catch (error) {
    if (stopping === undefined) console.error(error instanceof CannotStart ? error.message : error)
    await stop(1)
  }
}

async function start(settings: Settings): Promise<void> {
  const { port, smtpPort, workerThreads, serviceBaseUrl, dataDir: folder, fresh, empty, at } = settings
  running.gateway = await openGateway(port)
  process.env.SERVICE_BASE_URL = serviceBaseUrl ?? running.gateway.baseUrl
  running.dataDir = await openDataDir(folder, { fresh })
  const { gateway, dataDir } = running
  // `tmpdir()` reads this variable. The functions keep copies of texts there.
  process.env.TMPDIR = dataDir.tmpDir
  await requireSpace(folder)

  const isHere = (service: string) => awsEndpoint(service) === undefined
  const kept = { table: isHere('DYNAMODB'), bucket: isHere('S3'), key: isHere('KMS') }
  const contents = fresh ? 'unfinished' : dataDir.contents(kept)
  if (contents === 'unfinished') dataDir.clear()
  if (fresh) say('The data of earlier runs is deleted.')
  const canMove = kept.table && isHere('SQS')
  startClock(dataDir, at, { canMove, folder })
  const sayCopying = (copy: string) =>
    say(`The data is of an older release: it is copied to ${copy} before it is upgraded …`)
  const upgrade = contents !== 'data' ? undefined : await dataDir.beginUpgrade(sayCopying)
  // Data that cannot be upgraded stays as it was.
  if (at !== undefined) dataDir.keepClockOffset(clockOffset())
  say('Starting the database and the other services of AWS …')
  if (contents !== 'data') dataDir.markUnfinished()
  const { credentials: secret, shared } = await setEnvironment()
  const bucket = process.env.BUCKET_NAME ?? ''
  let functions: readonly LocalFunction[] = []
  const starting = startEmulators({
    filesDir: dataDir.filesDir,
    keyFile: dataDir.keyFile,
    signingKeyFile: dataDir.signingKeyFile,
    mailDir: dataDir.mailDir,
    configurationSet: process.env.MAIL_CONFIGURATION_SET ?? '',
    bucket,
    rights: bucketRights,
    credentials: secret,
    onQueuesLost: async () => {
      await createQueues(queuePrefix)
      resume(functions)
    },
  }).then((emulators) => {
    running.emulators = emulators
    return emulators
  })
  const startingBea = startBea(dataDir.beaDir).then((bea) => {
    running.bea = bea
    return bea
  })
  for (const service of [starting, startingBea]) service.catch(() => {})
  running.database = await startDatabase(dataDir.tableFile, secret)
  const { endpoint } = running.database
  process.env.AWS_ENDPOINT_URL_DYNAMODB = endpoint
  const emulators = await starting
  const bea = await startingBea
  if (running.database.openAt !== undefined) console.error(openSentence(running.database.openAt))
  void Promise.race([running.database.died, emulators.died, ...(bea.died ? [bea.died] : [])]).then(
    (reason) => {
      console.error(reason)
      return stop(1)
    },
  )

  Object.assign(process.env, emulators.environment, bea.environment)
  const queueUrls = await createQueues(queuePrefix)
  Object.assign(process.env, queueUrls)
  const describeRun = () =>
    dataDir.describeRun({
      ...shared,
      AWS_ENDPOINT_URL_DYNAMODB: endpoint,
      ...emulators.environment,
      ...bea.environment,
      ...queueUrls,
      ...(process.env[clockOffsetVariable] && { [clockOffsetVariable]: process.env[clockOffsetVariable] }),
    })
  describeRun()

  say('Loading the functions …')
  const demo: { ids: () => DemoIds } = { ids: () => new Map() }
  const [tableIsNew, loaded] = await Promise.all([
    createTable(tableName(), { fresh, mustExist: contents === 'data' && kept.table }),
    loadFunctions(manifest, { workerThreads }),
    emulators.isOurs('S3') ? undefined : createBucket(bucket),
    emulators.isOurs('KMS')
      ? undefined
      : createKeys({
          secrets: process.env.SECRETS_KEY_ID ?? '',
          signing: process.env.SIGNING_KEY_ID ?? '',
        }),
  ])
  await upgradeTable(dataDir, upgrade, running.database.isOurs)
  // Later threads use the code that was compiled here, also on the first start.
  flushCompileCache()
  functions = withDemoExamples(loaded, () => demo.ids())
  const disk = diskOf(folder, running.database.isOurs ? dataDir.tableFile : undefined)
  const pages: LocalPages[] = emulators.isOurs('SES') ? [mailPages(dataDir.mailDir)] : []
  gateway.serve(functions, pages, disk)
  running.smtp = await receiveMail(functions, {
    port: smtpPort,
    bucket,
    disk,
    beside: gateway.besideRequests,
  })
  const ofRun = { base_url: gateway.baseUrl, smtp_url: running.smtp.url, bea: bea.certificates }
  const isNew = contents !== 'data' || tableIsNew
  const credentials = await credentialsOf(dataDir, ofRun, isNew, empty)
  if (!empty) demo.ids = lookUpDemoIds(gateway.baseUrl, credentials.workspaces)
  running.pump = startPump(functions)
  const dueItems = canMove ? openDueItems(dataDir.tableFile, tableName()) : undefined
  running.ticker = startTicker(functions, dueItems && (() => dueItems.partitionsAt(epochMilliseconds())))
  if (dueItems !== undefined) {
    running.dueItems = dueItems
    running.clock = localClock({
      // A change with a time before the move that is written after it would enter the log of events too late.
      set: (to, isQuiet) =>
        gateway.betweenRequests(() => {
          if (to <= epochMilliseconds()) return
          dataDir.keepClockOffset(clockOffset() + to - epochMilliseconds())
          setOffset(to)
          describeRun()
        }, isQuiet),
      due: dueItems,
      ticker: running.ticker,
      pump: running.pump,
      queueState: emulators.queueState,
      hasEmitted: emulators.hasEmitted,
    })
    pages.push(clockPages(running.clock))
  }
  // The messages of new data are still in the queues of this process, and must not be sent twice.
  if (!isNew) resume(functions)
  collectWhenIdle()
  announce(credentials, folder, emulators.isOurs('SES'), bea.environment.BEA_GATEWAY_URL)
}

/**
 * The time of the data continues from earlier runs, or is the time of the machine, or a later one that the caller chose (E9).
 *
 * @throws CannotStart if the chosen time is before the time of the data, or if the table or the queues are elsewhere
 */
function startClock(
  dataDir: DataDir,
  at: Date | undefined,
  { canMove, folder }: { canMove: boolean; folder: string },
): void {
  const offset = dataDir.clockOffset()
  delete process.env[clockOffsetVariable]
  if (offset !== undefined) process.env[clockOffsetVariable] = String(offset)
  if (at === undefined) return
  if (!canMove)
    throw new CannotStart(
      '--at needs the local database and queues: unset AWS_ENDPOINT_URL and AWS_ENDPOINT_URL_….',
    )
  if (offset !== undefined && at < systemClock.now())
    throw new CannotStart(
      `In ${folder} it is ${timestamp()} already, and the clock goes forward only. Leave --at out, choose another folder with LOCAL_DATA_DIR, or start with new data: --fresh`,
    )
  setOffset(at.getTime())
}

/** Moves the time of this process and of its threads. */
function setOffset(to: number): void {
  process.env[clockOffsetVariable] = String(clockOffset() + to - epochMilliseconds())
}

/**
 * Changes the table to the layout of this release, before anybody works with it (U1).
 *
 * @param upgrade the upgrade of the data folder. A table that the environment names has none, and may be older or
 *   newer.
 * @param isAlone nobody else can work on the table
 */
async function upgradeTable(
  dataDir: DataDir,
  upgrade: LocalUpgrade | undefined,
  isAlone: boolean,
): Promise<void> {
  const upgrades = (await loadAdmin()).upgrades()
  const copy = upgrade === undefined ? '' : `; a copy of it is in ${upgrade.copy}`
  try {
    const layout = await upgrades.layout()
    if (layout !== tableLayout) {
      const progress = `Upgrading the data from layout ${upgrade?.from ?? layout} to ${tableLayout}${copy}`
      const { upgrades: ran } = await upgrades.run({
        isAlone,
        onStep: ({ firm, firms, records }) =>
          sayAgain(`${progress} … firm ${firm} of ${firms}, ${records} records`),
      })
      const records = ran.reduce((sum, one) => sum + one.records, 0)
      sayAgain('')
      say(`${progress} … done, ${records} records.`)
    }
    dataDir.endUpgrade()
  } catch (error) {
    sayAgain('')
    if (error instanceof LayoutRefused) throw new CannotStart(error.message, error)
    throw new CannotStart(
      `The data could not be upgraded to layout ${tableLayout}${copy}. The next start goes on with it. ${String(error)}`,
      error,
    )
  }
}

/** Replaces the line if the output is a terminal. */
function sayAgain(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${line}`)
}

function openSentence(address: string): string {
  return `This system does not let the database be kept apart (that takes unshare and ip, and namespaces for users): other programs and users of this machine can reach it at ${address} without a key. Browsers cannot.`
}

/** Resumes the work whose messages were lost with the memory of SQS, without waiting for the next sweep. */
function resume(functions: readonly LocalFunction[]): void {
  running.emulators
    ?.emitMailEventsAgain()
    .catch((error: unknown) => console.error('The events of mail could not be emitted again:', error))
  const sweeper = functions.find(({ name }) => name === 'sweeper')
  if (sweeper === undefined) return
  invoke(sweeper, { queues_were_lost: true }, randomUUID()).catch((error: unknown) =>
    console.error('The work whose messages were lost could not be resumed:', error),
  )
}

/** Receives mail by SMTP, as SES does on AWS. */
async function receiveMail(
  functions: readonly LocalFunction[],
  { port, bucket, disk, beside }: { port: number; bucket: string } & Pick<SmtpOptions, 'disk' | 'beside'>,
): Promise<Smtp> {
  const receiveMail = functions.find(({ name }) => name === 'receive-mail')
  if (receiveMail === undefined) throw new Error('No function records mail.')
  const messages = receivedMail(bucket)
  const { receivesMail: isRecipient } = await loadAdmin()
  return startSmtp({ port, receiveMail, messages, isRecipient, disk, beside })
}

/**
 * The credentials of this run: an earlier run's credentials if its data exists, otherwise new ones. Addresses and the
 * beA demo certificates always belong to this run.
 */
async function credentialsOf(
  dataDir: DataDir,
  ofRun: Pick<Credentials, 'base_url'> & { smtp_url: string; bea: Credentials['bea'] },
  isNew: boolean,
  empty: boolean,
): Promise<Credentials> {
  if (isNew) dataDir.markUnfinished()
  const { mailSigningKey } = await loadAdmin()
  const kept = isNew
    ? { mail_signing_key: randomBytes(32).toString('hex') }
    : readCredentials(dataDir.credentialsFile)
  // The key of the file applies, even if another one was set in the meantime.
  await mailSigningKey.replace(kept.mail_signing_key)
  const credentials =
    'workspaces' in kept ? { ...kept, ...ofRun } : await makeDemo({ ...ofRun, ...kept }, empty)
  writeCredentials(dataDir.credentialsFile, credentials)
  dataDir.markFinished()
  return credentials
}

async function makeDemo(ofRun: Omit<Credentials, 'workspaces'>, empty: boolean): Promise<Credentials> {
  say(empty ? 'Making two firms …' : 'Making two demo firms, with cases, documents and mail …')
  const credentials = { ...ofRun, workspaces: await makeFirms(await loadAdmin()) }
  if (!empty) await fillFirms(credentials)
  return credentials
}

/** The use cases of the admin command, loaded after the environment is set, like the functions. */
async function loadAdmin() {
  const { admin } = await import('../tools/admin/index.ts')
  return admin()
}

/** Prints the current step. Not on standard output, whose first line is `Ready:`. */
function say(step: string): void {
  console.error(step)
}

function announce(
  { base_url: baseUrl, smtp_url: smtpUrl, workspaces }: Credentials,
  folder: string,
  hasMailPages: boolean,
  beaUrl: string | undefined,
): void {
  const key = workspaces[0]?.users[0]?.api_key
  // One write, so that a program that waits for the first line gets all of them.
  console.log(
    [
      `Ready: ${baseUrl}`,
      `curl -s -H 'Authorization: Bearer ${key}' '${baseUrl}/api/v1/cases'`,
      `All keys: ${join(folder, 'credentials.json')}`,
      ...(hasMailPages ? [`Sent mail: ${baseUrl}/local/mail`] : []),
      `Inbound mail: ${smtpUrl}`,
      ...(beaUrl ? [`beA simulator: ${beaUrl}`] : []),
    ].join('\n'),
  )
}

/** Stops if the parent process is gone: a killed npm sends no signal, and port and data would stay in use. */
function stopWhenOrphaned(): void {
  const npm = process.ppid
  if (process.env.npm_lifecycle_event !== 'start') return
  setInterval(() => {
    if (process.ppid !== npm) void stop(0)
  }, 300).unref()
}

/** Finishes open requests, then ends the process. A second call has no further effect. */
function stop(exitCode: number): Promise<void> {
  stopping ??= (async () => {
    running.clock?.stop()
    await Promise.all([
      running.ticker?.stop(),
      running.pump?.stop(),
      running.gateway?.close(),
      running.smtp?.close(),
    ])
    // The database removes its log if nobody else has the file open.
    running.dueItems?.close()
    await Promise.all([running.database?.stop(), running.emulators?.stop(), running.bea?.stop()])
    running.dataDir?.release()
    process.exit(exitCode)
  })()
  return stopping
}
