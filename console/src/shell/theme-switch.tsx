import { type Theme, theme } from '../data/theme.ts'
import { t } from '../language/words.ts'
import { Icon, type IconName } from '../parts/icon.tsx'

const THEMES: readonly (readonly [Theme, IconName, words: string])[] = [
  ['system', 'system', t('As the system')],
  ['light', 'sun', t('Light')],
  ['dark', 'moon', t('Dark')],
]

export const ThemeSwitch = () => (
  <fieldset class="theme-switch">
    <legend class="unseen">{t('Colors')}</legend>
    {THEMES.map(([value, icon, words]) => (
      <label key={value} title={words}>
        <input
          class="unseen"
          type="radio"
          name="theme"
          checked={theme.value === value}
          onChange={() => {
            theme.value = value
          }}
        />
        <Icon name={icon} size={16} />
        <span class="unseen">{words}</span>
      </label>
    ))}
  </fieldset>
)
