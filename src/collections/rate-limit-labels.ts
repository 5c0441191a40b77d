import type { SettingsStore } from './settings-store.ts'

/** Rate limits of a collection (`posts:create`) follow it to its new name. PocketBase: core/settings_model.go */
export async function relabelRateLimits(settings: SettingsStore, from: string, to: string): Promise<void> {
  const { rules } = settings.current.rateLimits
  const isOf = (label: string) => label.startsWith(`${from}:`)
  if (from === to || !rules.some(({ label }) => isOf(label))) return
  const relabelled = rules.map((rule) =>
    isOf(rule.label) ? { ...rule, label: to + rule.label.slice(from.length) } : rule,
  )
  await settings.save({ rateLimits: { rules: relabelled } })
}
