/** Notes the variables of this process. @returns a function that makes them as they were */
export function keptEnvironment(): () => void {
  const kept = { ...process.env }
  return () => {
    for (const name of Object.keys(process.env)) if (!(name in kept)) delete process.env[name]
    Object.assign(process.env, kept)
  }
}
