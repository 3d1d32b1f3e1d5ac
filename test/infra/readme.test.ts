import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { MailReceipt } from '#correspondence/receipt-schema.ts'
import { verdictsOf } from '#correspondence/verdicts.ts'
import { manifest } from '#functions/manifest.ts'
import { queues } from '#functions/queues.ts'
import { inRepository } from '#infra/in-repository.ts'
import { pascalCase } from '#infra/pascal-case.ts'
import type { StackPurpose } from '#infra/stage.ts'
import { createClient } from '#store/client.ts'
import { counterEntity } from '#store/counter-entity.ts'
import type { Db } from '#store/db.ts'
import { everyEntity } from '#test/support/every-entity.ts'
import { restoredKinds } from '#test/support/restored-kinds.ts'
import { cdkContext, meantToGoWithout, synthesise } from './synthesis.ts'

const readme = readFileSync(inRepository('infra/README.md'), 'utf8')
const { resources } = synthesise()
const purposes: StackPurpose[] = ['storage', 'api', 'work', 'watch']
const inProd = (type: string) => purposes.flatMap((purpose) => resources('prod', purpose, type))

type Statement = { Principal: object; Action: string | string[]; Condition?: object }

const vaultArn = 'arn:aws:backup:eu-central-1:210987654321:backup-vault:kanzleien'

const folder = mkdtempSync(join(tmpdir(), 'infra-readme-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('the fixed costs in the README match the deployed resources', () => {
  const [, fixed = ''] = /\n(Fixed costs of a stage[\s\S]+?)(?:\n\n|$)/.exec(readme) ?? []

  const rules = inProd('AWS::WAFv2::WebACL').map(([, { Properties }]) => Properties.Rules.length)
  const keys = inProd('AWS::KMS::Key').length
  const metrics = inProd('AWS::CloudWatch::Alarm').reduce(
    (sum, [, { Properties }]) =>
      sum + (Properties.Metrics?.filter((one: { MetricStat?: object }) => one.MetricStat).length ?? 1),
    0,
  )
  const dashboards = inProd('AWS::CloudWatch::Dashboard').length

  expect([rules.length, dashboards]).toEqual([1, 1])
  const firewall = 5 + Number(rules[0])
  const alarms = metrics / 10
  expect(fixed).toContain(`$${firewall} for the firewall (a web ACL at $5, ${rules[0]} rules at $1)`)
  expect(fixed).toContain(`$${keys} for ${keys} keys`)
  expect(fixed.replaceAll('\n', ' ')).toContain(`$${alarms.toFixed(2)} for alarms over ${metrics} metrics`)
  expect(fixed).toContain(`together about $${Math.round(firewall + keys + alarms + 3)}`)
})

test('the totals of what a firm costs are the sums of their rows', () => {
  const [, table = ''] = /\n### What a firm costs\n([\s\S]+?)$/.exec(readme) ?? []
  const rows = [...table.matchAll(/^\| (.+?) \|.*\| \**\$([\d ]+)\** \| \**\$([\d ]+)\** \|$/gm)].map(
    ([, what = '', one = '', thousand = '']) => ({
      what,
      sums: [one, thousand].map((sum) => Number(sum.replaceAll(' ', ''))),
    }),
  )
  const parts = rows.filter(({ what }) => what !== '**together**')
  const together = rows.find(({ what }) => what === '**together**')

  expect(parts.map(({ what }) => what).join()).toMatch(/Textract.*beA.*table and its restore/)
  expect(parts.length).toBeGreaterThan(8)
  expect(together?.sums).toEqual(
    [0, 1].map((at) => parts.reduce((sum, { sums }) => sum + (sums[at] ?? 0), 0)),
  )
})

test('no other place names a price', () => {
  const [before = ''] = readme.split('\n## Costs\n')
  const others = globSync(['README.md', 'packages/**/README.md', 'infra/*/**/README.md'], {
    cwd: inRepository('.'),
  }).map((path) => [path, readFileSync(inRepository(path), 'utf8')] as const)
  const texts = [['infra/README.md', before] as const, ...others]

  expect(others.length).toBeGreaterThan(20)
  const priced = texts.filter(([, text]) => /\$\d/.test(text.replaceAll(/```[\s\S]*?```/g, '')))
  expect(priced.map(([path]) => path)).toEqual([])
})

test('the runbook has a paragraph for every alarm, and none for another', () => {
  const withAll = synthesise({
    stages: {
      ...(cdkContext.stages as object),
      prod: {
        protectData: true,
        mail: { domain: 'mail.example.de' },
        backupVaultArn: vaultArn,
      },
    },
  })
  const alarms = ['AWS::CloudWatch::Alarm', 'AWS::Events::Rule']
    .flatMap((type) => withAll.resources('prod', 'watch', type))
    .map(([id]) => id.replace(/^KeyWatch|[0-9A-F]{8}$/g, ''))
  const [, runbook = ''] = /\n## Runbook\n([\s\S]+?)\n## /.exec(readme) ?? []
  const paragraphs = [...runbook.matchAll(/\n### (\S+)\n\n(.+)/g)]

  const isOf = (alarm: string, heading: string) =>
    heading.startsWith('…') ? alarm.endsWith(heading.slice(1)) : alarm === heading
  const headings = paragraphs.map(([, heading = '']) => heading)
  const without = alarms.filter((alarm) => !headings.some((heading) => isOf(alarm, heading)))
  const idle = headings.filter((heading) => !alarms.some((alarm) => isOf(alarm, heading)))

  expect(alarms.length).toBeGreaterThan(100)
  expect([without, idle]).toEqual([[], []])
})

test('the runbook names the alarms of failed requests and messages, which Lambda does not count as errors', () => {
  const [, errors = ''] = /\n### …Errors\n([\s\S]+?)\n###/.exec(readme) ?? []
  const sentences = errors.replaceAll('\n', ' ').split('. ')
  const raises = (line: string) => sentences.find((sentence) => sentence.includes(`\`${line}\``))

  expect(raises('request failed')).toContain('raises `ApiFails`')
  expect(raises('message failed')).toContain('raises `…Failed`')
})

test('the README names the functions that may list objects', () => {
  const listing = manifest.filter(({ needs }) =>
    Object.values(needs.bucket ?? {}).some((actions) => actions.includes('erase')),
  )
  const [, names = ''] = /Only\s([^.]+?)\smay list objects/.exec(readme) ?? []

  expect([...names.matchAll(/`([\w-]+)`/g)].map(([, name]) => name)).toEqual(listing.map(({ name }) => name))
})

test('the README names the copies outside of table and bucket that outlive an erasure', () => {
  const sections = ['\n## A firm leaves\n', '\n### Erased data in backups\n'].map(
    (heading) => readme.split(heading)[1]?.split('\n##')[0],
  )

  for (const section of sections)
    for (const copy of ['Textract', '`logRetentionDays`', 'suppression list of SES', 'dead-letter queues'])
      expect(section).toContain(copy)
})

test('the README explains every setting of a stage', () => {
  const source = readFileSync(inRepository('infra/stage.ts'), 'utf8')
  const [, settings = ''] = /const Settings = z\.strictObject\(\{\n([\s\S]+?)\n\}\)/.exec(source) ?? []
  const names = [...settings.matchAll(/^ {2}(\w+):/gm)].map(([, name]) => name)

  const [, section = ''] = /\n## Settings of a stage\n([\s\S]+?)\n## /.exec(readme) ?? []
  const explained = [...section.matchAll(/^\| (`\w+`(?:, `\w+`)*) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/\w+/g)].map(([name]) => name),
  )

  expect(names.length).toBeGreaterThan(5)
  expect(explained.toSorted()).toEqual(names.toSorted())
})

test('every file, command and queue that the README names exists', () => {
  const paths = [
    ...readme.matchAll(/(?:`|file:\/\/|-e )((?:functions|packages|infra|events)\/[\w./-]*)/g),
  ].map(([, path = '']) => path)
  const { scripts } = JSON.parse(readFileSync(inRepository('package.json'), 'utf8'))
  const commands = [...readme.matchAll(/npm run (\w+)/g)].map(([, name = '']) => name)
  const queues = inProd('AWS::SQS::Queue').map(([, { Properties }]) => Properties.QueueName)
  const [, queue] = /--queue-name (\S+) /.exec(readme) ?? []

  expect(paths.length).toBeGreaterThan(5)
  expect(paths.filter((path) => !existsSync(inRepository(path)))).toEqual([])
  expect(commands.filter((name) => scripts[name] === undefined)).toEqual([])
  expect(queues).toContain(queue)
})

test('the README says for each queue what a message in its dead-letter queue means', () => {
  const failed = inProd('AWS::SQS::Queue')
    .map(([, { Properties }]) => Properties.QueueName as string)
    .filter((name) => name.endsWith('-failed'))
    .map((name) => name.replace('aktenlage-prod-', 'aktenlage-<stage>-'))

  expect(failed).toHaveLength(Object.keys(queues).length)
  // The table of the alarms of mail explains this one.
  expect(failed.filter((name) => !readme.includes(name))).toEqual(['aktenlage-<stage>-mail-events-failed'])
  expect(readme).toMatch(/\| `MailEventsFailed`, /)
})

test('a notification that SES sent in vain can be sent again, and vouches for no sender', () => {
  const [, body = ''] =
    /--queue-name aktenlage-prod-received-mails [\s\S]+?--message-body '([^']+)'/.exec(readme) ?? []
  const filled = body
    .replaceAll('<key>', 'received/o3vrnil0')
    .replaceAll('<key without received/>', 'o3vrnil0')
    .replaceAll('<LastModified>', '2026-11-22T14:03:00+00:00')
    .replaceAll('<address>', '2f0c5a1d8e10@mail.example.de')

  const receipt = MailReceipt.parse(JSON.parse(filled))

  expect(new Set(Object.values(verdictsOf(receipt)))).toEqual(new Set(['unknown']))
})

describe('the restore after the account is lost', () => {
  const [, steps = ''] = /\nTo restore after the account is lost, .*\n([\s\S]+?)\n## /.exec(readme) ?? []

  test('lets the new account use the key of the vault as the stack lets the other account use its own', () => {
    const settings = { protectData: true, backupVaultArn: vaultArn, without: ['alarmEmail', 'mail'] }
    const stage = synthesise({ stages: { ...(cdkContext.stages as object), prod: settings } })
    const [, key] =
      stage.resources('prod', 'storage', 'AWS::KMS::Key').find(([id]) => id.startsWith('Backup')) ?? []
    const [, policy = '{}'] = /put-key-policy .*--policy '([\s\S]+?)'\n/.exec(steps) ?? []
    const rightsOf = ({ Action, Condition }: Statement) => ({
      actions: [Action].flat().toSorted(),
      condition: JSON.stringify(Condition ?? {}).replace('"true"', 'true'),
    })
    const isOf = (account: string) => (one: Statement) => JSON.stringify(one.Principal).includes(account)
    const statements: Statement[] = JSON.parse(policy).Statement

    expect(statements.filter(isOf('<new account>')).map(rightsOf)).toEqual(
      key?.Properties.KeyPolicy.Statement.filter(isOf('210987654321')).map(rightsOf),
    )
    expect(statements.filter(isOf('<other account>')).map(rightsOf)).toEqual([
      { actions: ['kms:*'], condition: '{}' },
    ])
  })

  test('enables what AWS Backup does not restore of a table', () => {
    const [own] = resources('prod', 'storage', 'AWS::DynamoDB::Table').map(([, { Properties }]) => Properties)

    expect(own).toMatchObject({
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
      DeletionProtectionEnabled: true,
    })
    expect(steps).toContain('--point-in-time-recovery-specification PointInTimeRecoveryEnabled=true')
    expect(steps).toContain('--time-to-live-specification Enabled=true,AttributeName=ttl')
    expect(steps).toContain('--deletion-protection-enabled')
  })

  test('sets the counters of numbers, so that none is used twice', () => {
    const [, key = '{}', set] = /--key '(.+?)' --update-expression 'SET #(\w+) = /.exec(steps) ?? []
    const { pk, sk } = JSON.parse(key)
    const counter = { workspace_id: 'ws_…', series: 'invoice/2026' }
    const { Key } = counterEntity({ client: createClient(), table: 'aktenlage' })
      .get(counter)
      .params<{ Key: object }>()

    expect({ pk: pk.S, sk: sk.S }).toEqual(Key)
    expect(set).toBe('last')
  })

  test('names everything that the lost key of secrets has sealed', () => {
    const sealed = new Set(manifest.flatMap(({ needs }) => needs.secrets ?? []))

    const words = { calendar: 'calendars', bea: 'beA postboxes', webhooks: 'webhook endpoint' }
    expect([...sealed].toSorted()).toEqual(Object.keys(words).toSorted())
    for (const word of Object.values(words)) expect(steps).toContain(word)
  })
})

describe('step 4 of a restore', () => {
  /** No entity is read or written here. */
  const entities = everyEntity({ table: 'aktenlage' } as Db)

  /** The entities that it copies, and a list of one, each with the reason. */
  const copied: Readonly<Record<string, string>> = {
    apikey: 'A key that was revoked stays revoked.',
    apikeylisting: 'Goes with its key.',
    user: 'A user who was deactivated stays deactivated.',
    workspace: 'It has the token of the ingestion webhook and the address for mail.',
    webhooktoken: 'A token that was rotated stays invalid, and the new one is accepted.',
    inboundaddress: 'A firm that was created later gets mail.',
    icaltoken: 'A subscription that was revoked stays revoked.',
    icaltokenlisting: 'Goes with its token.',
    exporttoken: 'A token that was revoked stays revoked.',
    exporttokenlisting: 'Goes with its token.',
    signinglink: 'A link that was replaced stays invalid.',
    sharedlink: 'A link that was revoked stays revoked.',
    sharedlinkof: 'Goes with its link: only a link in a list can be revoked.',
    syncaccount: 'It has credentials: a calendar that was disconnected stays disconnected.',
    beaaccount: 'It has a certificate: a postbox that was disconnected stays disconnected.',
    beaidentity: 'Goes with its account: otherwise the same postbox can be connected twice.',
    scheduledbeasync: 'Goes with its account: otherwise it is never synchronised.',
    beakey: 'The key of a postbox that was disconnected does not return.',
    beasession: 'The session of a user who has logged out does not return.',
    beapermission: 'A right that was withdrawn stays withdrawn.',
    webhookendpoint: 'It has secrets and an address, which may have been replaced.',
    webhookdispatch: 'Goes with its endpoint: otherwise nothing is sent to it.',
    webhookreplay: 'Goes with its endpoint: a replay that has ended is not sent again.',
    webhookcount: 'Goes with the endpoints.',
    beadraft: 'A message that was sent is not sent again.',
    bea_drafts: 'The list of the drafts.',
    duebeasend: 'Goes with its draft: it says when something is to be done for it.',
    beasentmessage: 'Goes with its draft: a message of the network counts for one draft.',
    secret: 'The signing key of the mail service may have been replaced.',
    signingcertificate: 'An authority’s certificate may have been imported.',
    counter: 'No number is used twice.',
    firmaudit: 'An entry is never lost, nor its number used twice.',
    signed_register: 'A signed register never changes, and is not lost.',
    signed_register_piece: 'Goes with its register.',
    pushedevent: 'An event that was pushed is removed from that calendar when it is deleted.',
  }

  /** Entities with an attribute that looks like a credential. They return to their old state. */
  const returned: Readonly<Record<string, string>> = {
    receptiontoken: 'Its mail is not in the restored table: the mail service may send it again.',
    sharedlinkopening: 'It only records that a link was opened.',
    bealogin: 'It ends after five minutes, and the restore takes longer.',
    agenda: 'Its token is the version of a list of events.',
  }

  test('begins when no function of the stage can run any more', () => {
    const longest = Math.max(...manifest.map(({ timeoutSeconds }) => timeoutSeconds))

    expect(longest / 60).toBe(15)
    expect(readme).toMatch(/Wait a quarter of an hour before step 3/)
  })

  test('copies entities that exist, and one list', async () => {
    const names = await entities
    expect(restoredKinds().filter((kind) => !names.has(kind))).toEqual(['bea_drafts'])
  })

  test('copies everything with a credential or an address, and what belongs to it', () => {
    expect(restoredKinds().toSorted()).toEqual(Object.keys(copied).toSorted())
  })

  test('leaves out no entity with an attribute for a credential', async () => {
    const withCredential = [...(await entities)].filter(([, { schema }]) =>
      Object.keys(schema.attributes).some((name) =>
        /sealed|secret|token|credential|certificate_pem|public_key|inbound_address/.test(name),
      ),
    )
    const names = withCredential.map(([name]) => name)
    expect(names.length).toBeGreaterThan(15)
    expect(names.filter((name) => !(name in copied || name in returned))).toEqual([])
  })
})

test('a table that a restore leaves behind is in the list of copies, and can be erased and deleted', () => {
  const section = (heading: string) => readme.split(`\n${heading}\n`)[1]?.split(/\n##+ /)[0] ?? ''

  expect(section('## A firm leaves')).toMatch(/workspace erase .* --table <earlier table>/)
  expect(section('### Restore to a second')).toContain('delete-table --table-name <earlier table>')
  expect(section('### Erased data in backups')).toMatch(/\| .*earlier table.* \| until you delete it \|/)
})

describe('closing and opening a stage for a restore', () => {
  /** The shell commands in the README that contain this text. */
  const commandsWith = (text: string) => {
    const blocks = [...readme.matchAll(/\n *```sh\n([\s\S]+?)\n *```/g)].map(([, block = '']) => block)
    const [found = ''] = blocks.filter((block) => block.includes(text))
    return found
  }

  /** `aws` of an account with three functions, whose reserved concurrency is in files; `refused` names one that fails. */
  const aws = `#!/bin/sh
while [ $# -gt 0 ]; do
  case $1 in
    *-functions | *-mappings | *-function-concurrency) command=$1 ;;
    --function-name) name=$2 ;;
    --reserved-concurrent-executions) reserved=$2 ;;
  esac
  shift
done
case $command in
  list-functions) printf 'aktenlage-prod-bea\\taktenlage-prod-bea-files\\taktenlage-prod-cases\\n' ;;
  get-function-concurrency)
    [ "$name" = "$(cat refused)" ] && exit 254
    cat "$name" 2> /dev/null || echo None ;;
  put-function-concurrency) echo "$reserved" > "$name" ;;
  delete-function-concurrency) rm "$name" ;;
esac
`

  /** The account before the restore: a function that streams has a reserved part. */
  const account = () => {
    const at = mkdtempSync(join(folder, 'account-'))
    writeFileSync(join(at, 'aws'), aws, { mode: 0o755 })
    writeFileSync(join(at, 'aktenlage-prod-bea-files'), '50\n')
    const run = (commands: string, refused = '') => {
      writeFileSync(join(at, 'refused'), refused)
      execFileSync('sh', ['-c', commands], { cwd: at, env: { PATH: `${at}:${process.env.PATH}` } })
    }
    const read = (name: string) => {
      const path = join(at, name)
      return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined
    }
    const reserved = () => ['bea', 'bea-files', 'cases'].map((name) => read(`aktenlage-prod-${name}`))
    return { run, reserved, noted: () => read('concurrency.txt')?.split('\n') }
  }

  const close = commandsWith('--no-enabled')
  const open = commandsWith('delete-function-concurrency')
  const noted = ['aktenlage-prod-bea None', 'aktenlage-prod-bea-files 50', 'aktenlage-prod-cases None']

  test('gives each function its reserved concurrency again, even if closing was repeated', () => {
    const { run, reserved, noted: notes } = account()

    run(close)
    run(close)

    expect(notes()).toEqual(noted)
    expect(reserved()).toEqual(['0', '0', '0'])
    run(open)
    expect(reserved()).toEqual([undefined, '50', undefined])
  })

  test('closes no function before its reserved concurrency is noted', () => {
    const { run, reserved, noted: notes } = account()

    run(close, 'aktenlage-prod-bea-files')
    expect(reserved()).toEqual(['0', '50', '0'])

    run(close)
    expect(notes()?.toSorted()).toEqual(noted)
    expect(reserved()).toEqual(['0', '0', '0'])
  })
})

test('a roll-back deploys the code of the previous release with the settings of today', () => {
  const at = mkdtempSync(join(folder, 'roll-back-'))
  const today = join(at, 'today')
  mkdirSync(today)
  const run = (command: string) => execFileSync('sh', ['-c', command], { cwd: today, stdio: 'pipe' })
  const write = (file: object) => writeFileSync(join(today, 'cdk.json'), JSON.stringify(file))
  const read = (path: string) => JSON.parse(readFileSync(join(at, path), 'utf8'))
  const prod = { protectData: true }
  const commit = 'git add -A && git -c user.name=Test -c user.email=test@example.com commit -qm Release'
  const [, commands = ''] = /```sh\n([^`]*?git worktree add [\s\S]*?)npm ci\n/.exec(readme) ?? []

  write({ app: 'earlier', context: { flag: true, stages: { prod } } })
  run(`git init -q && ${commit}`)
  write({ app: 'today', context: { stages: { prod } } })
  run(commit)
  // The setting is not committed yet.
  const now = { app: 'today', context: { stages: { prod: { ...prod, tableName: 'restored' } } } }
  write(now)
  run(commands.replace('<commit of the previous release>', 'HEAD~1'))

  expect(read('previous/cdk.json')).toEqual({
    app: 'earlier',
    context: { flag: true, stages: now.context.stages },
  })
  expect(read('today/cdk.json')).toEqual(now)
})

test('the bulkheads in the README are the parts of a stage that counts on 1,000 executions', () => {
  const { stages } = cdkContext as { stages: Record<'prod', object> }
  const ofStage = synthesise({
    stages: { ...stages, prod: { ...stages.prod, ...meantToGoWithout, concurrency: 1_000 } },
  })
  const reserved = (['api', 'work'] as const)
    .flatMap((purpose) => ofStage.resources('prod', purpose, 'AWS::Lambda::Function'))
    .flatMap(([, { Properties }]) => Properties.ReservedConcurrentExecutions ?? [])
  const mappings = ofStage.resources('prod', 'work', 'AWS::Lambda::EventSourceMapping')
  const workers = manifest.flatMap(({ name, consumes }) => {
    if (consumes === undefined) return []
    const mapping = mappings.find(([id]) => id.includes(`storage${pascalCase(consumes.queue)}Queue`))
    return {
      name,
      share: consumes.share,
      count: Number(mapping?.[1].Properties.ScalingConfig.MaximumConcurrency),
    }
  })
  const [withShare, others] = [
    workers.filter(({ share }) => share !== undefined),
    workers.filter(({ share }) => share === undefined),
  ]
  const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0)
  const rest = 1_000 - sum(reserved) - sum(workers.map(({ count }) => count))

  const [, section = ''] = /\n### Bulkheads\n([\s\S]+?)\n#/.exec(readme) ?? []
  const rows = [...section.matchAll(/^\| (.+?) \| (.+?) \| (\d+) \| (.*?) ?\|$/gm)].map(
    ([, what = '', part = '', count = '', enough = '']) => ({ what, part, count: Number(count), enough }),
  )
  const named = rows.filter(({ what }) => what.startsWith('`'))
  const countOf = (beginning: string) => rows.find(({ what }) => what.startsWith(beginning))?.count

  expect(mappings).toHaveLength(workers.length)
  expect(reserved).toEqual(reserved.map(() => countOf('each of the functions that stream')))
  expect(named.map(({ what, part, count }) => [what, part, count]).toSorted()).toEqual(
    withShare
      .map(({ name, share = 0, count }) => [`\`${name}\``, `up to ${Math.round(share * 100)} %`, count])
      .toSorted(),
  )
  expect(countOf('the other workers')).toBe(sum(others.map(({ count }) => count)))
  expect(rows.at(-1)).toMatchObject({ what: 'requests', count: rest })
  expect(rows.at(-1)?.enough).toBe(`${Math.floor(rest / 100)} 000 requests a second of 100 ms`)
})

test('the costs of a stage that nobody uses count all queues', () => {
  const [, count, polls, perMillion] =
    /polls each of the (\d+) queues for messages some (\d+) 000 times \(\$([\d.]+) per million/.exec(
      readme.replaceAll('\n', ' '),
    ) ?? []
  const [, readUnits] = /\((?:\d+) read units, (\d+) million a month\)/.exec(readme) ?? []
  const [, together] = /nobody uses also costs about \$(\d+) a month/.exec(readme) ?? []
  const ofPolls = ((Number(count) * Number(polls)) / 1_000 - 1) * Number(perMillion)

  expect(Number(count)).toBe(Object.keys(queues).length)
  expect(Math.round(ofPolls + Number(readUnits) * 0.125)).toBe(Number(together))
})
