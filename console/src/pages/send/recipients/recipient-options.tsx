import { t } from '../../../language/words.ts'
import { Icon } from '../../../parts/icon.tsx'
import type { Suggestion } from './use-suggestions.ts'

export const RecipientOptions = ({
  id,
  suggestions,
  active,
  onTake,
}: {
  id: string
  suggestions: readonly Suggestion[]
  active: Suggestion | undefined
  onTake: (suggestion: Suggestion) => void
}) => (
  <div class="popup send-options" id={id} role="listbox" aria-label={t('Contacts and groups')}>
    {suggestions.map((suggestion, i) => (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox has the keys
      // biome-ignore lint/a11y/useFocusableInteractive: the combobox keeps the focus and names the active option
      <div
        key={`${suggestion.kind} ${suggestion.id}`}
        id={`${id}-${i}`}
        role="option"
        aria-selected={suggestion === active}
        onPointerDown={(event) => event.preventDefault()}
        onClick={() => onTake(suggestion)}
      >
        <Icon name={suggestion.kind === 'group' ? 'groups' : 'contacts'} size={16} />
        <span class="cut">{suggestion.words}</span>
        <span class="send-option-more">{suggestion.more}</span>
      </div>
    ))}
  </div>
)
