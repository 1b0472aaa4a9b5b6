import os
from http.server import HTTPServer, SimpleHTTPRequestHandler

HTTPServer(('', int(os.environ.get('PORT', 8000))), SimpleHTTPRequestHandler).serve_forever()
