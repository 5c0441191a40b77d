create trigger _file_contents_unnamed after delete on _files referencing old table as deleted
  for each statement execute function _file_contents_unnamed();
