create trigger consent_states_unwanted after insert or update on consent_states
  for each row when (new.state = 'stopped' and new."group" <> '') execute function sms_texts_unwanted('number');
