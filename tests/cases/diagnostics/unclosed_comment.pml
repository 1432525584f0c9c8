byte x;
init { x = 1 }
/* this comment
goes on
