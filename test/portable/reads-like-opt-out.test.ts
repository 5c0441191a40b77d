import { readConfig } from '../../src/platform/config.ts'
import { listOptOutLanguages } from '../../src/portable/country-languages.ts'
import { addLanguageWords, ENGLISH_WORDS } from '../../src/portable/opt-words-by-language.ts'
import { readOptWord } from '../../src/portable/read-opt-word.ts'
import { readsLikeOptOut } from '../../src/portable/reads-like-opt-out.ts'

const read = (country: string, body: string) => {
  const words = addLanguageWords(ENGLISH_WORDS, listOptOutLanguages(country, ''))
  if (readOptWord({ body }, words) === true) return 'out'
  return readsLikeOptOut({ body }, words) ? 'asks' : 'text'
}

test('the console knows the usual words of servers', () => {
  expect(readConfig({}).optWords).toEqual(ENGLISH_WORDS)
})

test.each([
  ['DE', 'STOPP', 'out'],
  ['DE', 'stopp!!! 🙏', 'out'],
  ['AT', 'Abmelden.', 'out'],
  ['DE', 'Kuendigen', 'out'],
  ['DE', 'KU\u0308NDIGEN', 'out'],
  ['CH', 'Arrêt', 'out'],
  ['CH', 'basta', 'out'],
  ['CH', 'Stopp', 'out'],
  ['BE', 'Uitschrijven', 'out'],
  ['BE', 'désabonner', 'out'],
  ['CA', 'ARRET', 'out'],
  ['BR', 'Sair', 'out'],
  ['PT', 'parar', 'out'],
  ['PL', 'rezygnuję', 'out'],
  ['MX', '¡Baja!', 'out'],
  // what carriers reserve counts in each country
  ['IN', 'stop', 'out'],
  ['TR', 'STOP', 'out'],
  ['TR', 'unsubscrıbe', 'out'],
  ['CN', 'Stop 。', 'out'],
  ['EG', 'STOP', 'out'],
  ['DE', 'Unsubscribe', 'out'],
  // a person decides
  ['DE', 'Stopp bitte', 'asks'],
  ['DE', 'keine SMS mehr bitte', 'asks'],
  ['DE', 'Bitte keine Nachrichten mehr', 'asks'],
  ['DE', 'BITTE KEINE NACHRICHTEN MEHR!!! 😡', 'asks'],
  ['DE', 'Ho\u0308ren Sie auf, mir zu schreiben', 'asks'],
  ['US', 'Please stop', 'asks'],
  ['US', 'Don’t text me', 'asks'],
  ['US', 'STOPP', 'asks'],
  ['IN', 'pls stop sending messages', 'asks'],
  ['FR', 'Ne m’envoyez plus de messages', 'asks'],
  ['CH', 'Plus de SMS svp', 'asks'],
  ['CA', 'Désinscrivez-moi', 'asks'],
  ['IT', 'Basta messaggi', 'asks'],
  ['BE', 'Geen sms meer aub', 'asks'],
  ['BR', 'não quero mais receber', 'asks'],
  ['ES', 'No me envíen más SMS', 'asks'],
  ['PL', 'Nie chcę więcej SMS', 'asks'],
  ['SE', 'Inga fler SMS, tack', 'asks'],
  ['TR', 'İptal', 'asks'],
  ['TR', 'iptal lütfen', 'asks'],
  ['CN', '请退订', 'asks'],
  ['EG', 'إلغاء الاشتراك', 'asks'],
  ['DE', 'Schreiben Sie mir bitte nicht mehr', 'asks'],
  ['DE', 'Lo\u0308schen Sie bitte meine Nummer', 'asks'],
  ['DE', 'STOPP\n\nMit freundlichen Grüßen\nAnna Müller', 'asks'],
  ['DE', 'Abmeldung, bitte!', 'asks'],
  ['DE', 'Bitte keine Erinnerungen mehr', 'asks'],
  ['US', 'STOP ALL MESSAGES', 'asks'],
  ['US', 'unsub', 'asks'],
  ['US', 'Do not text', 'asks'],
  ['US', 'Please do not send any more messages', 'asks'],
  ['FR', 'STOP au 36111', 'asks'],
  ['FR', 'STOP SMS', 'asks'],
  ['FR', 'Désinscription svp', 'asks'],
  ['FR', 'Merci de ne plus m’envoyer de messages', 'asks'],
  ['BR', 'Me tire dessa lista', 'asks'],
  ['BR', 'Pare de me mandar mensagem', 'asks'],
  ['PL', 'Nie życzę sobie SMS', 'asks'],
  ['PL', 'Wypisz mnie proszę', 'asks'],
  ['IN', 'बंद करो', 'asks'],
  ['IN', 'Mat bhejo', 'asks'],
  ['ES', 'Quítenme de la lista', 'asks'],
  ['DE', 'Ich habe gekündigt, bitte keine Nachrichten mehr', 'asks'],
  ['DE', 'Ich bekomme viel zu viele davon, bitte keine SMS mehr', 'asks'],
  ['US', 'Why do you write me? Stop texting me', 'asks'],
  // ordinary texts
  ['US', 'Please don’t stop texting me', 'text'],
  ['US', 'I don’t want to unsubscribe me', 'text'],
  ['US', 'Why did you stop texting me?', 'text'],
  ['US', 'stop at 1530', 'text'],
  ['DE', 'Ich habe keine SMS mehr bekommen, bitte nochmal senden', 'text'],
  ['DE', 'Warum bekomme ich keine Nachrichten mehr?', 'text'],
  ['DE', 'Wir haben seit Montag keine Nachricht mehr erhalten', 'text'],
  ['FR', 'Je n’ai plus de messages depuis lundi', 'text'],
  ['FR', 'Avez-vous plus de messages ?', 'text'],
  ['BR', 'Quero cancelar minha consulta', 'text'],
  ['PL', 'Chcę anulować wizytę', 'text'],
  ['US', 'Please stop by at 5', 'text'],
  ['DE', 'Bitte keine Nachrichten mehr nach 22 Uhr', 'text'],
  ['US', 'No more texts after 9 pm please', 'text'],
  ['FR', 'Plus de messages après 20 h', 'text'],
  ['DE', 'Ende gut, alles gut', 'text'],
  ['US', 'Can I cancel Tuesday?', 'text'],
  ['IT', 'Non voglio più pizza', 'text'],
  ['BR', 'Bom fim de semana', 'text'],
  ['DE', 'Yes', 'text'],
  ['DE', '👍', 'text'],
] as const)('in %s, the text "%s" is: %s', (country, body, expected) => {
  expect(read(country, body)).toBe(expected)
})
