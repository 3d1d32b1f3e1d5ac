import { readFileSync } from 'node:fs'
import { Architecture } from 'aws-cdk-lib/aws-lambda'
import { expect, test } from 'vitest'
import { manifest } from '#functions/manifest.ts'
import { functionArchitecture, machineArchitecture } from '#infra/architecture.ts'
import { functionName } from '#infra/stage.ts'
import { samContext, samEnvironment, samTemplate, type Template } from '#infra/tools/sam/sam-environment.ts'
import { synthesise } from './synthesis.ts'

const { template } = synthesise(samContext)
const ofDev = (['api', 'work'] as const).map((purpose) => template('dev', purpose) as Template)
const forSam = ofDev.map((one) => samTemplate(one, 'x86_64'))

type FunctionProperties = {
  FunctionName: string
  Architectures?: string[]
  Environment?: { Variables: object }
}

const functionsIn = (templates: Template[]) =>
  templates
    .flatMap(({ Resources }) => Object.values(Resources))
    .filter(({ Type }) => Type === 'AWS::Lambda::Function')
    .map(({ Properties }) => Properties as FunctionProperties)
    .filter(({ FunctionName }) => FunctionName !== undefined)

test('events/env.json is what npm run sam writes', () => {
  const environment = Object.assign({}, ...forSam.map(samEnvironment))

  expect(readFileSync('events/env.json', 'utf8')).toBe(`${JSON.stringify(environment, null, 2)}\n`)
})

test('events/env.json has every variable of every function, a text for each, and no other', () => {
  const environment = JSON.parse(readFileSync('events/env.json', 'utf8'))
  const names = manifest.map(({ name }) => functionName('dev', name))

  expect(Object.keys(environment).toSorted()).toEqual(names.toSorted())
  for (const { FunctionName, Environment } of functionsIn(forSam)) {
    expect(Object.keys(environment[FunctionName])).toEqual(Object.keys(Environment?.Variables ?? {}))
  }
  expect(Object.values<object>(environment).flatMap(Object.values)).toSatisfy((values: unknown[]) =>
    values.every((value) => typeof value === 'string' && value !== ''),
  )
})

test('the template for SAM differs in the architecture and in AWS_ENDPOINT_URL alone', () => {
  const expected = structuredClone(ofDev)
  for (const properties of functionsIn(expected)) {
    const { Variables } = properties.Environment ?? {}
    properties.Architectures = ['x86_64']
    properties.Environment = {
      Variables: { ...Variables, AWS_ENDPOINT_URL: 'http://host.docker.internal:4566' },
    }
  }

  expect(forSam).toEqual(expected)
})

test('SAM finds the code of each function, and a function by its id in the README', () => {
  const metadata = forSam
    .flatMap(({ Resources }) => Object.values(Resources))
    .filter(({ Type }) => Type === 'AWS::Lambda::Function')
    .map(({ Metadata }) => Metadata)
  const [, id] = /sam local invoke (\w+) /.exec(readFileSync('infra/README.md', 'utf8')) ?? []

  for (const one of metadata) expect(one).toMatchObject({ 'aws:asset:path': expect.any(String) })
  expect(metadata.map((one) => one?.['aws:cdk:path'])).toContain(`aktenlage-dev-api/${id}/Resource`)
})

test('a variable that refers to a resource that this machine does not have is refused', () => {
  const Variables = { TABLE_NAME: { 'Fn::ImportValue': 'table' }, TOPIC_ARN: { Ref: 'Topic' } }
  const Properties = { FunctionName: 'aktenlage-dev-x', Environment: { Variables } }

  expect(() => samEnvironment({ Resources: { X: { Type: 'AWS::Lambda::Function', Properties } } })).toThrow(
    'no local value for TOPIC_ARN',
  )
})

test('functions are built for arm64 on AWS, and for this machine if AWS_ENDPOINT_URL names LocalStack', () => {
  expect(functionArchitecture({})).toBe(Architecture.ARM_64)
  expect(functionArchitecture({ AWS_ENDPOINT_URL: 'http://localhost:4566' })).toBe(machineArchitecture())
  expect(machineArchitecture().name).toBe(process.arch === 'x64' ? 'x86_64' : 'arm64')
})
