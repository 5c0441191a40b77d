import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import es from './es.json' with { type: 'json' }
import fr from './fr.json' with { type: 'json' }
import pt from './pt.json' with { type: 'json' }

/** The sentences of the mails of sign-ins, as PocketBase has them, and of backups. */
export const ENGINE_WORDS = { en, de, es, fr, pt }
