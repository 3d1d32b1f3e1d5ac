import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { inRepository } from '#infra/in-repository.ts'
import type { StackPurpose } from '#infra/stage.ts'
import { cdkContext, synthesise } from './synthesis.ts'

const readme = readFileSync(inRepository('infra/README.md'), 'utf8')
const { resources } = synthesise()
const purposes: StackPurpose[] = ['storage', 'api', 'work', 'watch']
const inProd = (type: string) => purposes.flatMap((purpose) => resources('prod', purpose, type))

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
        backupVaultArn: 'arn:aws:backup:eu-central-1:210987654321:backup-vault:kanzleien',
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
