import type { PageWords } from './english.ts'

export const PORTUGUESE: PageWords = {
  heading: 'SMS de {group}',
  sender: 'De {account}',
  country: 'País',
  number: 'Número de celular',
  consent: 'Quero receber SMS de {group}, enviados por {account}.',
  terms:
    'Podem ser cobradas tarifas de SMS e de dados. Você pode encerrar os SMS a qualquer momento: responda {stop} a um deles. Responda {help} para obter ajuda.',
  join: 'Receber SMS',
  asked: 'Olhe o seu celular',
  askedReply:
    'Enviamos um SMS para {number}. Responda SIM a esse SMS em até dois dias e você receberá os SMS.',
  askedCode: 'Enviamos um código para {number}. Digite-o aqui e você receberá os SMS.',
  noText:
    'Não chegou nenhum SMS? Confira o número. Um número que já recebe estes SMS ou que enviou {stop} não recebe nenhum aqui. Depois de {stop}, envie primeiro {start}.',
  code: 'Código do SMS',
  confirm: 'Confirmar',
  again: 'Começar de novo',
  joined: 'Agora você recebe os SMS',
  joinedText:
    '{number} recebe SMS de {group}, enviados por {account}. Responda {stop} a um deles para encerrá-los.',
  leave: 'Encerrar os SMS',
  leaveText: 'Não quer mais receber SMS de {account} em {number}? Toque no botão para encerrá-los.',
  unnamed: 'este remetente',
  leaveAll: 'Encerrar todos os SMS',
  leaveGroup: 'Encerrar só os SMS de {group}',
  left: 'Os SMS foram encerrados',
  leftAll:
    '{number} não recebe mais SMS de {account}. Para voltar a recebê-los, responda {start} a um deles.',
  leftGroup: '{number} não recebe mais SMS de {group}, enviados por {account}.',
  missing: 'Esta página não existe',
  missingText: 'O endereço está errado, ou o remetente fechou a página.',
  failed: 'Não deu certo',
  mustAgree: 'Marque a caixa para receber SMS.',
  badNumber: 'Isto não é um número de telefone. Escolha o país e escreva todos os dígitos.',
  changed: 'O texto desta página mudou. Leia-o de novo e depois marque a caixa.',
  otherSite: 'O formulário foi enviado de outro site. Use o formulário desta página.',
  destination: 'Não enviamos SMS para este número.',
  tooMany: 'Foram pedidos SMS demais. Tente de novo mais tarde.',
  tooSoon: 'Acabamos de enviar um SMS para este número. Espere um minuto e tente de novo.',
  signedIn:
    'Você está conectado ao console neste navegador. Só a pessoa que recebeu o SMS encerra os SMS por este link. Em vez disso, descadastre o contato no console.',
  noLine: 'No momento não podemos enviar um SMS. Tente de novo mais tarde.',
  wrongCode: 'Este código está errado ou expirou. Olhe o SMS de novo, ou comece de novo.',
  other: 'O servidor não pode responder no momento. Tente de novo mais tarde.',
}
