import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

type Entry = { version?: string; integrity?: string; inBundle?: boolean; link?: boolean; resolved?: string }

const { packages } = JSON.parse(
  readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'),
) as {
  packages: Record<string, Entry>
}
const installed = Object.entries(packages).filter(([path]) => path !== '')

test('every package in the lock file has a digest, or is part of a package that has one', () => {
  const without = installed.filter(([, entry]) => !entry.inBundle && !hasDigest(entry)).map(([path]) => path)
  const bundles = installed.flatMap(([path, { inBundle }]) => (inBundle ? [bundleOf(path)] : []))

  expect(installed.length).toBeGreaterThan(500)
  expect(without).toEqual([])
  expect(bundles.filter((path) => !hasDigest(packages[path] ?? {}))).toEqual([])
})

test('the lock file names no registry, no folder and no repository', () => {
  expect(installed.filter(([, { link, resolved }]) => link || resolved !== undefined)).toEqual([])
})

test('the container has the Node.js and the packages that the lock file names', () => {
  const dockerfile = readFileSync(new URL('../../Dockerfile', import.meta.url), 'utf8')

  expect(dockerfile).toContain(`FROM --platform=linux/amd64 node:${packages['node_modules/node']?.version}-`)
  expect(dockerfile).toMatch(/^COPY package\.json package-lock\.json \.npmrc \.\/\nRUN npm ci$/m)
})

test('Node.js has the same major version in every place that the README names for a change', () => {
  const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
  const [major] = packages['node_modules/node']?.version?.split('.') ?? []
  const [, section = ''] =
    /\n### A new version of Node\.js.*\n([\s\S]+?)\n###/.exec(read('infra/README.md')) ?? []
  const places: Record<string, string> = {
    'package.json': `"node": "${major}.`,
    Dockerfile: ` node:${major}.`,
    'infra/constructs/bundling.ts': `target: 'node${major}'`,
    'infra/constructs/group-function.ts': `Runtime.NODEJS_${major}_X`,
  }

  expect(section).toContain(`\`nodejs${major}.x\``)
  for (const [path, version] of Object.entries(places)) {
    expect(section).toContain(`\`${path}\``)
    expect(read(path)).toContain(version)
  }
})

function hasDigest({ integrity = '' }: Entry): boolean {
  return /^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity)
}

/** The package whose archive contains this one. */
function bundleOf(path: string): string {
  const outer = path.slice(0, path.lastIndexOf('/node_modules/'))
  return packages[outer]?.inBundle ? bundleOf(outer) : outer
}
