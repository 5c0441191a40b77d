/** What the pictures of one language show. */
export interface Example {
  /** The page of docs that shows them. */
  readonly page: string
  /** Where they are, below docs/console. */
  readonly folder: string
  /** README shows it, too. */
  readonly isOfReadme?: true
  readonly locale: string
  readonly phone: string
  readonly groups: readonly string[]
  /** The contacts' own field, and its value of each. */
  readonly field: string
  readonly cities: readonly string[]
  /** `filled`: as the first contact gets it. */
  readonly template: { readonly name: string; readonly body: string; readonly filled: string }
  /** `fault`: why one of the first was not sent. */
  readonly outgoing: { readonly first: string; readonly second: string; readonly fault: string }
  readonly incoming: Readonly<Record<'anna' | 'ben' | 'chiara' | 'last', string>>
  /** Typed to be sent, and as an answer. */
  readonly written: string
  readonly answer: string
}

export const PEOPLE = [
  ['Anna Lopez', '+4915120000010'],
  ['Ben Okafor', '+4915120000011'],
  ['Chiara Rossi', '+4915120000012'],
  ['David Kim', '+4915120000013'],
  ['Elif Ünal', '+4915120000014'],
  ['Farid Haddad', '+4915120000015'],
  ['Greta Lindqvist', '+4915120000016'],
] as const

export const EXAMPLES: readonly Example[] = [
  {
    page: 'console.md',
    folder: '.',
    isOfReadme: true,
    locale: 'en-US',
    phone: 'Desk phone',
    groups: ['Regulars', 'Newsletter'],
    field: 'city',
    cities: ['Cologne', 'Bonn', 'Cologne', 'Aachen', 'Bonn', 'Cologne', 'Düren'],
    template: {
      name: 'Parcel ready',
      body: 'Hello {{name|there}}, your parcel is ready in {{city}}.',
      filled: 'Hello Anna Lopez, your parcel is ready in Cologne.',
    },
    outgoing: {
      first: 'We are open on Sunday from 12 to 5 pm.',
      second: 'Yes, since this morning. We are open until 7 pm.',
      fault: 'The number is not in service',
    },
    incoming: {
      anna: 'Hi, is my parcel there?',
      ben: 'Thanks! Is there parking?',
      chiara: 'Great, see you then',
      last: 'Perfect, I will come at five.',
    },
    written: 'Hello! We are open on Sunday from 12 to 5 pm. See you there?',
    answer: 'See you then!',
  },
  {
    page: 'console/de.md',
    folder: 'de',
    locale: 'de-DE',
    phone: 'Ladentelefon',
    groups: ['Stammkunden', 'Newsletter'],
    field: 'ort',
    cities: ['Köln', 'Bonn', 'Köln', 'Aachen', 'Bonn', 'Köln', 'Düren'],
    template: {
      name: 'Paket ist da',
      body: 'Hallo {{name|zusammen}}, Ihr Paket liegt in {{ort}} bereit.',
      filled: 'Hallo Anna Lopez, Ihr Paket liegt in Köln bereit.',
    },
    outgoing: {
      first: 'Am Sonntag haben wir von 12 bis 17 Uhr offen.',
      second: 'Ja, seit heute Morgen. Wir haben bis 19 Uhr offen.',
      fault: 'Die Nummer ist nicht vergeben',
    },
    incoming: {
      anna: 'Hallo, ist mein Paket schon da?',
      ben: 'Danke! Kann man bei Ihnen parken?',
      chiara: 'Schön, bis dann',
      last: 'Wunderbar, ich komme um fünf.',
    },
    written: 'Hallo! Am Sonntag haben wir von 12 bis 17 Uhr offen. Sehen wir uns?',
    answer: 'Bis nachher!',
  },
  {
    page: 'console/es.md',
    folder: 'es',
    locale: 'es-ES',
    phone: 'Teléfono de la tienda',
    groups: ['Clientes fijos', 'Novedades'],
    field: 'ciudad',
    cities: ['Colonia', 'Bonn', 'Colonia', 'Aquisgrán', 'Bonn', 'Colonia', 'Düren'],
    template: {
      name: 'Paquete listo',
      body: 'Hola, {{name|cliente}}: su paquete está listo en {{ciudad}}.',
      filled: 'Hola, Anna Lopez: su paquete está listo en Colonia.',
    },
    outgoing: {
      first: 'El domingo abrimos de 12 a 17 h.',
      second: 'Sí, desde esta mañana. Abrimos hasta las 19\u00a0h.',
      fault: 'El número no está en servicio',
    },
    incoming: {
      anna: 'Hola, ¿ha llegado mi paquete?',
      ben: '¡Gracias! ¿Se puede aparcar allí?',
      chiara: 'Genial, hasta entonces',
      last: 'Perfecto, voy a las cinco.',
    },
    written: '¡Hola! El domingo abrimos de 12 a 17 h. ¿Nos vemos?',
    answer: '¡Hasta luego!',
  },
  {
    page: 'console/fr.md',
    folder: 'fr',
    locale: 'fr-FR',
    phone: 'Téléphone du magasin',
    groups: ['Clients fidèles', 'Nouveautés'],
    field: 'ville',
    cities: ['Cologne', 'Bonn', 'Cologne', 'Aix-la-Chapelle', 'Bonn', 'Cologne', 'Düren'],
    template: {
      name: 'Colis prêt',
      body: 'Bonjour {{name|à vous}}, votre colis est prêt à {{ville}}.',
      filled: 'Bonjour Anna Lopez, votre colis est prêt à Cologne.',
    },
    outgoing: {
      first: 'Dimanche, nous ouvrons de 12 h à 17 h.',
      second: 'Oui, depuis ce matin. Nous sommes ouverts jusqu’à 19\u00a0h.',
      fault: 'Le numéro n’est pas en service',
    },
    incoming: {
      anna: 'Bonjour, mon colis est-il arrivé ?',
      ben: 'Merci ! Peut-on se garer chez vous ?',
      chiara: 'Super, à bientôt',
      last: 'Parfait, je passe à 17 h.',
    },
    written: 'Bonjour ! Dimanche, nous ouvrons de 12 h à 17 h. On vous voit ?',
    answer: 'À tout à l’heure !',
  },
  {
    page: 'console/pt.md',
    folder: 'pt',
    locale: 'pt-BR',
    phone: 'Telefone da loja',
    groups: ['Clientes fiéis', 'Novidades'],
    field: 'cidade',
    cities: ['Colônia', 'Bonn', 'Colônia', 'Aachen', 'Bonn', 'Colônia', 'Düren'],
    template: {
      name: 'Encomenda pronta',
      body: 'Olá, {{name|cliente}}, sua encomenda está pronta em {{cidade}}.',
      filled: 'Olá, Anna Lopez, sua encomenda está pronta em Colônia.',
    },
    outgoing: {
      first: 'No domingo abrimos das 12h às 17h.',
      second: 'Sim, desde hoje cedo. Ficamos abertos até as 19h.',
      fault: 'O número não existe',
    },
    incoming: {
      anna: 'Oi, minha encomenda já chegou?',
      ben: 'Obrigado! Dá para estacionar aí?',
      chiara: 'Ótimo, até lá',
      last: 'Perfeito, chego às 17h.',
    },
    written: 'Olá! No domingo abrimos das 12h às 17h. Esperamos você?',
    answer: 'Até já!',
  },
]
