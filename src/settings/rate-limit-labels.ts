import type { SettingsStore } from './settings-store.ts'

/** Renames a collection's rate limits (`posts:create`) with it. PocketBase: core/settings_model.go */
export async function renameRateLimits(settings: SettingsStore, from: string, to: string): Promise<void> {
  const isOf = (label: string) => label.startsWith(`${from}:`)
  if (from === to) return
  // Edits the stored rules, because this node's may be older and others may edit concurrently.
  await settings.save(({ rateLimits: { rules } }) => {
    if (!rules.some(({ label }) => isOf(label))) return undefined
    const relabelled = rules.map((rule) =>
      isOf(rule.label) ? { ...rule, label: to + rule.label.slice(from.length) } : rule,
    )
    return { rateLimits: { rules: relabelled } }
  })
}
