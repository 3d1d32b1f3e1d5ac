import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/**
 * The TCP ports of this machine on which a process or one of its descendants listens, as the kernel reports them
 * (Linux). A port in another network namespace does not belong to this machine.
 */
export function listeningPorts(pid: number): { address: string; port: number }[] {
  const sockets = new Set(descendants(pid).flatMap(socketsOf))
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode]) => state === listening && sockets.has(inode ?? ''))
      .map(([, local = '']) => {
        const [address = '', port = ''] = local.split(':')
        return { address, port: Number.parseInt(port, 16) }
      }),
  )
}

const listening = '0A'

function descendants(root: number): number[] {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const parents = processes.map((name) => [Number(name), parentOf(Number(name))] as const)
  const childrenOf = (pid: number): number[] =>
    parents.flatMap(([child, parent]) => (parent === pid ? [child, ...childrenOf(child)] : []))
  return [root, ...childrenOf(root)]
}

function parentOf(pid: number): number {
  try {
    // The name of the process, in brackets, may have spaces and brackets.
    const [, parent] = /\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    return Number(parent)
  } catch {
    return Number.NaN
  }
}

function socketsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      const [, inode] = /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${fd}`)) ?? []
      return inode === undefined ? [] : [inode]
    })
  } catch {
    return []
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}
