/**
 * From now on the milliseconds of processor that this process has used: whatever else the machine does counts
 * for nothing.
 */
export function startCpuTimer(): () => number {
  const before = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  }
}
