/** The CPU time of this process so far, in milliseconds. Unlike a clock, it stands still while others compute. */
export function cpuMilliseconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
