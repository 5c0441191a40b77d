import type { SettingsStore } from './settings-store.ts'

/**
 * Rate limits of a collection (`posts:create`) follow it to its new name. PocketBase: core/settings_model.go
 */
export async function renameRateLimits(settings: SettingsStore, from: string, to: string): Promise<void> {
  const isOf = (label: string) => label.startsWith(`${from}:`)
  if (from === to) return
  // of the rules as they are stored: what this node knows may be older, and others rename at the same time
  await settings.edit(({ rateLimits: { rules } }) => {
    if (!rules.some(({ label }) => isOf(label))) return undefined
    const relabelled = rules.map((rule) =>
      isOf(rule.label) ? { ...rule, label: to + rule.label.slice(from.length) } : rule,
    )
    return { rateLimits: { rules: relabelled } }
  })
}
