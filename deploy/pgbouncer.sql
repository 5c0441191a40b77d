-- What PgBouncer does not pass on from the servers' connections (ignore_startup_parameters), for the role instead.
-- For fast disks and many short statements:
alter role pocketsms set max_parallel_workers_per_gather = 0;
alter role pocketsms set random_page_cost = 1;
alter role pocketsms set jit = off;
alter role pocketsms set work_mem = '32MB';
-- CLIENT_STATEMENT_SECONDS: a client's filter may not run longer. What needs longer sets it for its transaction.
alter role pocketsms set statement_timeout = '3s';
alter role pocketsms set lock_timeout = '10s';
alter role pocketsms set idle_in_transaction_session_timeout = '1min';
-- a statement that a server has given up ends: PgBouncer closes its connection
alter role pocketsms set client_connection_check_interval = '1s';
