import { makePlace, matchNumber, type PersonalData } from '../base/personal-data.ts'

export const CONSENT_DATA: PersonalData = {
  places: [
    makePlace({
      table: 'consent_states',
      title: 'Present consent',
      rows: matchNumber(),
      shown: ['id', 'number', 'group', 'purpose', 'state', 'since', 'until'],
      erasure: 'delete',
      logged: { number: '' },
    }),
    makePlace({
      table: 'consents',
      title: 'Statements of consent',
      rows: matchNumber(),
      shown: [
        'id',
        'number',
        'purpose',
        'group',
        'event',
        'source',
        'shown',
        'version',
        'said',
        'message',
        'address',
        'browser',
        'given_at',
        'created',
      ],
      erasure: 'delete',
      logged: { number: '', said: '', address: '', browser: '' },
    }),
  ],
  noPlaces: { _consents_forgotten: 'hashes' },
}
